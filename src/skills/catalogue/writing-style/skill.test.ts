import { expect, test } from 'vitest';
import { describeSkill } from '../../../../test/skills/describe-skill.ts';
import skill, { aliases } from './skill.ts';

describeSkill(skill, {
  folder: import.meta.dirname,
  steps: [
    '1 collect "Collect the Samples" → 2',
    '2 measure "Measure the Traits" → 3',
    '3 describe "Describe the Voice" → 4',
    '4 exclude "Find What Is Never Done" → 5',
    '5 guide "Write the Style Guide" → 6',
    '6 brief "Prepare the Text" → 7',
    '7 draft "Write the Draft" → 8',
    '8 check "Check Against the Traits" → 9',
    '9 revise "Revise and Hand Over" → end',
  ],
  golden: {
    measure: { step: 2 },
    check: { step: 8, params: { output: 'post.md' } },
  },
});

test('the skill is found by its older name too', () => {
  expect(aliases).toEqual(['leon-writing-style']);
});

test('the agent that checks the text did not write it', () => {
  expect(skill.steps.filter((step) => step.gate === undefined && step.fresh === true).map(({ id }) => id)).toEqual(['check']);
});
