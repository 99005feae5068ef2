import { expect, test } from 'vitest';
import { describeSkill } from '../../../../test/skills/describe-skill.ts';
import { renderStep } from '../../index.ts';
import skill from './skill.ts';

describeSkill(skill, {
  folder: import.meta.dirname,
  steps: [
    '1 frame "Frame the Problem" → 2',
    '2 hypothesize "Form Hypotheses" → 3',
    '3 investigate "Investigate" → 4, 3',
    '4 formulate "Formulate the Cause" → 5',
    '5 report "Report" → end',
  ],
  golden: {
    'investigate-third': { step: 3, iteration: 3, confidence: 'medium' },
    formulate: { step: 4 },
  },
});

test('the investigation ends at high or certain, or at the fifth visit', () => {
  const nextStep = (iteration: number, confidence: 'low' | 'high' | 'certain') =>
    /<NEXT>.*--step (\d)/.exec(renderStep(skill, { step: 3, iteration, confidence }, { script: 'x' }))?.[1];
  expect([nextStep(1, 'low'), nextStep(4, 'low'), nextStep(5, 'low'), nextStep(2, 'high'), nextStep(2, 'certain')]).toEqual([
    ...['3', '3', '4', '4', '4'],
  ]);
});
