import { expect, test } from 'vitest';
import { describeSkill } from '../../../../test/skills/describe-skill.ts';
import { renderStep, stepGuidance } from '../../index.ts';
import skill from './skill.ts';

describeSkill(skill, {
  folder: import.meta.dirname,
  steps: [
    '1 context-clarification "Context Clarification" → 2',
    '2 abstraction "Abstraction" → 3',
    '3 kind-of-question "Kind of Question" → 4',
    '4 precedents "Precedents" → 5',
    '5 planning "Planning" → 6, 12',
    '6 subagent-design "Sub-agent Design" → 7',
    '7 design-check "Design Check" → 8',
    '8 briefs "Briefs" → 9',
    '9 dispatch "Dispatch" → 10',
    '10 report-check "Report Check" → 11',
    '11 agreement-and-dissent "Agreement and Dissent" → 12',
    '12 initial-synthesis "Initial Synthesis" → 13',
    '13 iterative-refinement "Iterative Refinement" → 14, 13',
    '14 answer "Answer" → end',
  ],
  golden: {
    dispatch: { step: 9, params: { folder: 'notes/our question' } },
    'refinement-again': { step: 13, iteration: 3, confidence: 'medium' },
  },
});

const by = { script: 'deepthink' };
const following = (step: number, more: object = {}): string | undefined =>
  /<NEXT>.*? --step (\d+) /.exec(renderStep(skill, { step, ...more }, by))?.[1];

test('quick mode skips the sub-agents, steps 6 to 11', () => {
  const visited = (mode: string): number[] => {
    const steps = [1];
    for (const step of steps) {
      const next = following(step, { params: { mode }, ...(step === 13 ? { confidence: 'certain' } : {}) });
      if (next !== undefined) steps.push(Number(next));
    }
    return steps;
  };
  expect(visited('quick')).toEqual([1, 2, 3, 4, 5, 12, 13, 14]);
  expect(visited('full')).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]);
});

test('no step that both modes have refers to a document that only full mode writes', () => {
  const later = skill.steps.slice(11).flatMap((step) => (step.gate === undefined ? (step.contract?.documents ?? []) : []));
  expect(later.flatMap(({ references = [] }) => references.map(({ to }) => to))).toEqual(['{folder}/05-plan.md']);
  for (const step of [5, 12, 13, 14])
    expect(renderStep(skill, { step, params: { mode: 'quick' } }, by)).not.toMatch(/\/(?:06|07|08|09|10|11)-|\/agents/);
});

test('the refinement names its round, and says when it is complete', () => {
  const title = (more: object): string => stepGuidance(skill, { step: 13, ...more }, by).title;
  expect(title({})).toBe('Iterative Refinement (Iteration 1)');
  expect(title({ iteration: 3, confidence: 'low' })).toBe('Iterative Refinement (Iteration 3)');
  expect(title({ iteration: 2, confidence: 'certain' })).toBe('Iterative Refinement (Iteration 2) -> Complete');
});

test('the refinement ends at high or certain, or after five rounds', () => {
  expect(following(13, { iteration: 1, confidence: 'exploring' })).toBe('13');
  expect(following(13, { iteration: 4, confidence: 'medium' })).toBe('13');
  expect(following(13, { iteration: 2, confidence: 'high' })).toBe('14');
  expect(following(13, { iteration: 2, confidence: 'certain' })).toBe('14');
  expect(following(13, { iteration: 5, confidence: 'low' })).toBe('14');
});

test('a later round has other instructions, depending on the confidence of the agent', () => {
  const said = (iteration: number, confidence: string): string => renderStep(skill, { step: 13, iteration, confidence } as never, by);
  expect(said(1, 'exploring')).toContain('Check all of them.');
  expect(said(2, 'low')).toContain('a different source or method');
  expect(said(2, 'medium')).toContain('the best-informed opponent');
  expect(said(2, 'high')).toContain('No further checks.');
  expect(said(5, 'low')).toContain('This is the last round');
});
