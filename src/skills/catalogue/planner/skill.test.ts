import { expect, test } from 'vitest';
import { describeSkill } from '../../../../test/skills/describe-skill.ts';
import { type QRState, qrState, renderStep } from '../../index.ts';
import skill from './skill.ts';

describeSkill(skill, {
  folder: import.meta.dirname,
  steps: [
    '1 context "Context Discovery" → 2',
    '2 approaches "Approaches" → 3',
    '3 decisions "Decisions and Assumptions" → 4',
    '4 write-plan "Write Plan" → 5',
    '5 qr-completeness "QR: Plan Completeness" → 6',
    '6 gate-completeness "Gate: Plan Completeness" → 7, 4',
    '7 fill-diffs "Fill Diffs" → 8',
    '8 qr-code "QR: Plan Code" → 9',
    '9 gate-code "Gate: Plan Code" → 10, 7',
    '10 scrub "Scrub Comments and Documents" → 11',
    '11 qr-docs "QR: Plan Documentation" → 12',
    '12 gate-docs "Gate: Plan Documentation" → 13, 10',
    '13 hand-over "Hand Over the Plan" → end',
  ],
  golden: {
    decisions: { step: 3 },
    'revise-plan': { step: 4, params: { folder: 'plans/range' }, qr: qrState({ iteration: 2, failed: true }) },
    'qr-completeness': { step: 5, qr: qrState({ iteration: 2, failed: true }) },
  },
});

test('a plan review that fails leads back to the work of its own loop, in the next round', () => {
  const next = (step: number, qr: QRState): string | undefined =>
    /<NEXT>(.*)<\/NEXT>/.exec(renderStep(skill, { step, qr }, { script: 'planner' }))?.[1];
  expect([6, 9, 12].map((step) => next(step, qrState({ iteration: 2, status: 'fail' })))).toEqual([
    'planner --step 4 --total-steps 13 --qr-iteration 3 --qr-fail',
    'planner --step 7 --total-steps 13 --qr-iteration 3 --qr-fail',
    'planner --step 10 --total-steps 13 --qr-iteration 3 --qr-fail',
  ]);
  expect([6, 9, 12].map((step) => next(step, qrState({ status: 'pass' })))).toEqual([
    'planner --step 7 --total-steps 13',
    'planner --step 10 --total-steps 13',
    'planner --step 13 --total-steps 13',
  ]);
});

test('each reviewer is told the folder and the round, and starts afresh', () => {
  const review = (step: number): string =>
    renderStep(skill, { step, params: { folder: 'plans/a b' }, qr: qrState({ iteration: 2, failed: true }) }, { script: 'planner' });
  const invoked = [5, 8, 11].map((step) => /<invoke>(.*)<\/invoke>/.exec(review(step))?.[1]);
  expect(invoked).toEqual([
    `pawl skill step qr-plan-completeness --step 1 --total-steps 4 -p 'folder=plans/a b' -p round=2`,
    `pawl skill step qr-plan-code --step 1 --total-steps 4 -p 'folder=plans/a b' -p round=2`,
    `pawl skill step qr-plan-docs --step 1 --total-steps 4 -p 'folder=plans/a b' -p round=2`,
  ]);
  expect(review(5)).toContain('PLAN COMPLETENESS REVIEW (Iteration 2, fresh review): Previous review found issues.');
  expect(skill.steps.flatMap((step) => ('fresh' in step ? [step.id] : []))).toEqual(['qr-completeness', 'qr-code', 'qr-docs']);
});
