// The stateless form and a run give an agent the same text for a step, except for the command that follows.

import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { JsonObject } from '../base/json.ts';
import { partText } from '../definition/action-part.ts';
import type { ActionsBuilder } from '../definition/code.ts';
import { everyContext } from './contexts.ts';
import { arg, defineSkill, type Skill, type SkillContext, skillWorkflow, stepGuidance } from './index.ts';

const sample = defineSkill({
  name: 'sample',
  description: 'A sample. Use it now.',
  params: { mode: arg({ choices: ['full', 'quick'] }), folder: arg({ type: 'string', default: 'out' }) },
  steps: [
    {
      id: 'work',
      title: 'Work',
      actions: ({ qr }) => [qr.failed ? `Fix round ${qr.iteration}.` : 'Write it.'],
      contract: { documents: [{ path: '{folder}/a.md' }] },
    },
    {
      id: 'look',
      title: 'Look',
      iterates: true,
      actions: ({ iteration, confidence, params }) => ({ title: `Look ${iteration}`, actions: [`${confidence} in ${params.mode}`] }),
    },
    { id: 'gate', title: 'Gate', gate: { qrName: 'Review', workStep: 1, passStep: null, passMessage: 'ok', selfFix: true } },
  ],
});

const folder = new URL('./catalogue/', import.meta.url);
const names = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
const catalogue = await Promise.all(
  names.map(async ({ name }) => ((await import(`${folder.href}${name}/skill.ts`)) as { default: Skill }).default),
);

/** The run that a context stands for: which visit it is, and what was reported and decided before. */
function runOf(skill: Skill, { step, iteration, confidence, qr }: SkillContext) {
  const { id, iterates } = skill.steps[step - 1] as Skill['steps'][number];
  const said = iterates === true && iteration > 1 ? { [id]: { confidence } } : {};
  const rounds = skill.steps.flatMap((one) =>
    one.gate === undefined || qr.iteration === 1
      ? []
      : [[one.id, { status: 'again', rounds: 8, state: { round: qr.iteration - 1, items: [], verdicts: [], followUps: [], history: [] } }]],
  );
  return { visit: iterates === true ? iteration : 1, results: { ...said, ...Object.fromEntries(rounds) } as JsonObject };
}

/** Whether a run can be in a context: the first visit has no confidence yet, and a visit with high confidence is the last. */
function isInRun(skill: Skill, { step, iteration, confidence, qr }: SkillContext): boolean {
  const { iterates } = skill.steps[step - 1] as Skill['steps'][number];
  const inLoop = skill.steps.some((one, index) => one.gate !== undefined && one.gate.workStep <= step && step <= index);
  if (!inLoop && (qr.iteration > 1 || qr.failed)) return false;
  if (iterates !== true) return iteration === 1 && confidence === 'exploring';
  return iteration === 1 ? confidence === 'exploring' : !['high', 'certain'].includes(confidence);
}

test.each([sample, ...catalogue].map((skill) => [skill.name, skill] as const))(
  'a run of the skill %s has the text of its stateless form',
  (_, skill) => {
    const steps = skillWorkflow(skill).steps as unknown as Record<string, { actions?: ActionsBuilder }>;
    let compared = 0;
    skill.steps.forEach((step, index) => {
      const { actions } = steps[step.id] ?? {};
      if (actions === undefined) return;
      for (const context of everyContext(skill, index + 1).filter((one) => isInRun(skill, one))) {
        const { params, confidence, iteration, qr } = context;
        const hasLoop = skill.steps.some((one) => one.iterates === true);
        const hasGate = skill.steps.some(({ gate }) => gate !== undefined);
        const request = { step: index + 1, params, ...(hasLoop ? { confidence, iteration } : {}), ...(hasGate ? { qr } : {}) };
        const { title, parts } = stepGuidance(skill, request, { script: skill.name });
        expect(actions(params, runOf(skill, context))).toMatchObject({ title, actions: parts.map(partText) });
        compared += 1;
      }
    });
    expect(compared).toBeGreaterThan(0);
  },
);
