import { expect, test } from 'vitest';
import { describeSkill } from '../../../../test/skills/describe-skill.ts';
import { renderStep } from '../../index.ts';
import skill from './skill.ts';

describeSkill(skill, {
  folder: import.meta.dirname,
  steps: [
    '1 inventory "List the Documents" → 2',
    '2 claims "Extract the Claims" → 3',
    '3 compare "Compare with the Code" → 4',
    '4 decide "Decide Which Side Is Wrong" → 5',
    '5 fix "Fix the Documents" → 6',
    '6 verify "Verify" → end',
  ],
  golden: {
    'inventory-of-three': { step: 1, params: { roots: '../service,../client', since: 'v1.2' } },
    compare: { step: 3 },
  },
});

test('other repositories are named in the steps that list and verify documents', () => {
  const said = (step: number, roots: string) => renderStep(skill, { step, params: { roots } }, { script: 'x' });
  for (const step of [1, 6]) {
    expect(said(step, '../service, ../client')).toContain('the current one and ../service, ../client.');
    expect(said(step, '')).toContain('The repository: the current one.');
  }
});

test('the agent that verifies the documents did not write them', () => {
  expect(skill.steps.filter((step) => step.gate === undefined && step.fresh === true).map(({ id }) => id)).toEqual(['verify']);
});
