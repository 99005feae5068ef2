import { expect, test } from 'vitest';
import { describeSkill } from '../../../../test/skills/describe-skill.ts';
import { renderStep } from '../../index.ts';
import skill, { partOf } from './skill.ts';

describeSkill(skill, {
  folder: import.meta.dirname,
  steps: [
    '1 brief "The Brief" → 2',
    '2 present "What Is There" → 3',
    '3 ideas "Three Ideas" → 4',
    '4 design "Design" → 5',
    '5 walkthrough "Walk Through" → 6',
    '6 return "Return" → end',
  ],
  golden: { ideas: { step: 3, params: { brief: 'P-2' } } },
});

test('a designer without a brief is rejected, so that no two of them write the same design', () => {
  expect(partOf).toBe('solution-design');
  expect(() => renderStep(skill, { step: 1 }, { script: 'x' })).toThrow('brief');
});
