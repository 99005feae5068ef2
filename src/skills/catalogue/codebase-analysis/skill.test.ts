import { expect, test } from 'vitest';
import { describeSkill } from '../../../../test/skills/describe-skill.ts';
import { renderStep, type StepRequest } from '../../index.ts';
import skill from './skill.ts';

describeSkill(skill, {
  folder: import.meta.dirname,
  steps: [
    '1 scope "Scope the Question" → 2',
    '2 survey "Survey the Structure" → 3',
    '3 investigate "Investigate" → 4, 3',
    '4 answer "Answer the Question" → end',
  ],
  golden: {
    scope: { step: 1, params: { paths: 'src/auth' } },
    'investigate-again': { step: 3, iteration: 2, confidence: 'low' },
  },
});

test('the investigation has other instructions for low, medium and high confidence and for the last visit', () => {
  const visits = [
    { iteration: 1 },
    { iteration: 2, confidence: 'low' },
    { iteration: 3, confidence: 'medium' },
    { iteration: 5, confidence: 'medium' },
    { iteration: 3, confidence: 'high' },
  ] satisfies Omit<StepRequest, 'step'>[];
  const said = visits.map((visit) => renderStep(skill, { step: 3, ...visit }, { script: 'x' }));
  expect(said.map((text) => /Breadth first|has holes|try to refute|last visit|You said that you are sure/g.exec(text)?.[0])).toEqual([
    'Breadth first',
    'has holes',
    'try to refute',
    'try to refute',
    'You said that you are sure',
  ]);
  expect(said.map((text) => text.includes('This is the last visit.'))).toEqual([false, false, false, true, false]);
  expect(said.map((text) => /<NEXT>.*--step (\d)/.exec(text)?.[1])).toEqual(['3', '3', '3', '4', '4']);
});
