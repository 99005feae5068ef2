import { expect, test } from 'vitest';
import { describeSkill } from '../../../../test/skills/describe-skill.ts';
import { renderStep } from '../../index.ts';
import skill from './skill.ts';
import { SCOPES } from './techniques.ts';

describeSkill(skill, {
  folder: import.meta.dirname,
  steps: [
    '1 triage "Triage" → 2, 5',
    '2 read "Read the Prompts" → 5, 3, 4',
    '3 map "Map the Interactions" → 5, 4',
    '4 diagnose "Diagnose" → 5',
    '5 design "Design the Changes" → 6',
    '6 write "Write" → 7',
    '7 prove "Try and Compare" → end',
  ],
  golden: {
    'triage-problem': { step: 1, params: { scope: 'problem' } },
    'design-ecosystem': { step: 5, params: { scope: 'ecosystem' } },
    'write-greenfield': { step: 6, params: { scope: 'greenfield' } },
  },
});

/** The steps that an agent sees which follows the printed commands. */
function walked(scope: string): number[] {
  const steps = [1];
  for (const step of steps) {
    const next = /<NEXT>.*--step (\d)/.exec(renderStep(skill, { step, params: { scope } }, { script: 'x' }))?.[1];
    if (next !== undefined) steps.push(Number(next));
  }
  return steps;
}

test('triage leads each scope through two to six further steps, and each prompt is tried at the end', () => {
  expect(Object.fromEntries(SCOPES.map((scope) => [scope, walked(scope)]))).toEqual({
    greenfield: [1, 5, 6, 7],
    'single-prompt': [1, 2, 5, 6, 7],
    problem: [1, 2, 4, 5, 6, 7],
    ecosystem: [1, 2, 3, 4, 5, 6, 7],
  });
});

test('no step of a scope asks for a document that the scope does not write', () => {
  const written = (step: number) => {
    const at = skill.steps[step - 1];
    return at?.gate === undefined ? (at?.contract?.documents ?? []).map(({ path }) => path.replace('{folder}/', '')) : [];
  };
  for (const scope of SCOPES) {
    const steps = walked(scope);
    for (const step of steps) {
      const named = renderStep(skill, { step, params: { scope } }, { script: 'x' }).match(/\b0\d-[a-z]+\.md/g) ?? [];
      const there = steps.filter((one) => one <= step).flatMap(written);
      expect(named.filter((name) => !there.includes(name)).map((name) => `${scope}, step ${step}: ${name}`)).toEqual([]);
    }
  }
});
