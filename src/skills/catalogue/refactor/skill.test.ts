import { expect, test } from 'vitest';
import { describeSkill } from '../../../../test/skills/describe-skill.ts';
import { renderStep } from '../../index.ts';
import { DIMENSION_COUNT } from './dimensions.ts';
import skill from './skill.ts';

describeSkill(skill, {
  folder: import.meta.dirname,
  steps: [
    '1 scope "Set the Scope" → 2',
    '2 detect "Look Along Each Dimension" → 3',
    '3 check "Check the Findings" → 4',
    '4 group "Group by Cause" → 5',
    '5 weigh "Weigh Value and Risk" → 6',
    '6 sequence "Order the Changes" → 7',
    '7 recommend "Recommend" → end',
  ],
  golden: {
    scope: { step: 1, params: { target: 'src/queue' } },
    weigh: { step: 5 },
  },
});

test('every dimension that is printed must be reported on', () => {
  const printed = renderStep(skill, { step: 2 }, { script: 'x' }).match(/^\| (?!dimension|-)/gm);
  expect(printed).toHaveLength(DIMENSION_COUNT);
  const detect = skill.steps[1];
  const sections = detect?.gate === undefined ? detect?.contract?.documents?.[0]?.sections : undefined;
  expect(sections).toContainEqual({ title: 'By dimension', minItems: DIMENSION_COUNT });
});
