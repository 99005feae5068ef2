import { expect, test } from 'vitest';
import { describeSkill } from '../../../../test/skills/describe-skill.ts';
import { renderStep } from '../../index.ts';
import skill, { partOf } from './skill.ts';

describeSkill(skill, {
  folder: import.meta.dirname,
  steps: [
    '1 brief "The Brief" → 2',
    '2 expectations "Expectations" → 3',
    '3 evidence "Evidence" → 4',
    '4 answers "Answers" → 5',
    '5 rival "Strongest Rival" → 6',
    '6 recheck "Recheck" → 7',
    '7 report "Report" → 8',
    '8 return "Return" → end',
  ],
  golden: { brief: { step: 1, params: { brief: 'A-2' } }, return: { step: 8, params: { brief: 'A-2' } } },
});

test('an agent without a brief is rejected, so that no two of them write the same report', () => {
  expect(partOf).toBe('deepthink');
  expect(() => renderStep(skill, { step: 1 }, { script: 'x' })).toThrow('brief');
  expect(renderStep(skill, { step: 7, params: { brief: 'A-3', folder: 'n' } }, { script: 'x' })).toContain('n/agents/A-3.md');
});
