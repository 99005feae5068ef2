import { expect, test } from 'vitest';
import { describeSkill } from '../../../../test/skills/describe-skill.ts';
import { qrState, renderStep } from '../../index.ts';
import skill from './skill.ts';

describeSkill(skill, {
  folder: import.meta.dirname,
  steps: [
    '1 intake "Read the Plan" → 2',
    '2 baseline "Baseline" → 3',
    '3 implement "Implementation" → 4',
    '4 qr-implementation "QR: Review Implementation" → 5',
    '5 gate-implementation "Gate: Route Based on QR" → 6, 3',
    '6 document "Document" → 7',
    '7 qr-documentation "QR: Documentation" → 8',
    '8 gate-documentation "Gate: Documentation" → 9, 6',
    '9 report "Report with Evidence" → end',
  ],
  golden: {
    implement: { step: 3, params: { test: 'npx vitest run' } },
    'fix-implementation': { step: 3, qr: qrState({ iteration: 2, failed: true }) },
    'document-again': { step: 6, qr: qrState({ iteration: 2, failed: true }) },
  },
});

test('a failed review of code leads back to the code, and one of documents to the documents', () => {
  const next = (step: number, status: 'pass' | 'fail'): string | undefined =>
    /<NEXT>(.*)<\/NEXT>/.exec(renderStep(skill, { step, qr: qrState({ status }) }, { script: 'executor' }))?.[1];
  expect(next(5, 'fail')).toBe('executor --step 3 --total-steps 9 --qr-iteration 2 --qr-fail');
  expect(next(5, 'pass')).toBe('executor --step 6 --total-steps 9');
  expect(next(8, 'fail')).toBe('executor --step 6 --total-steps 9 --qr-iteration 2 --qr-fail');
  expect(next(8, 'pass')).toBe('executor --step 9 --total-steps 9');
});

test('the tests of the project must pass before the first change and after the last', () => {
  const tested = skill.steps.flatMap((step) => (step.gate === undefined && step.contract?.command === '{test}' ? [step.id] : []));
  expect(tested).toEqual(['baseline', 'implement', 'document', 'report']);
});
