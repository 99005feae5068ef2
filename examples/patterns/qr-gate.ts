// Pattern 4 of seed 000: a quality reviewer lets a plan pass or sends it back. The reviewer is an agent that is sent off
// with a script; PASS and FAIL in its report become outcomes. Here it is scripted, and reads the plan all the same.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AgentRole, createScriptedDriver, Dispatch, type EngineOptions, Outcome, StepDef, Workflow } from '../../src/index.ts';

const PARTS = ['goal', 'steps', 'risks'];
const PLAN = 'plan.json';

function readPlan(directory: string): string[] {
  return JSON.parse(readFileSync(join(directory, PLAN), 'utf8')) as string[];
}

function writePlan(directory: string, plan: readonly string[]): readonly [Outcome, object] {
  writeFileSync(join(directory, PLAN), JSON.stringify(plan));
  return [Outcome.OK, { parts: plan.length }];
}

/** A plan in a folder is written, reviewed, revised as often as the reviewer wants, and carried out. */
export function createPlanner(directory: string): Workflow {
  return new Workflow(
    'planner',
    StepDef({ id: 'write_plan', handler: () => writePlan(directory, ['goal']), next: { [Outcome.OK]: 'qr_completeness' } }),
    StepDef({
      id: 'qr_completeness',
      title: 'QR: Plan Completeness',
      actions: ['Check that the plan has a goal, steps and risks.'],
      handler: Dispatch({
        agent: AgentRole.QUALITY_REVIEWER,
        script: 'skills.planner.qr.plan_completeness',
      }),
      next: {
        [Outcome.OK]: 'implementation', // QRStatus.PASS -> Outcome.OK
        [Outcome.FAIL]: 'revise_plan', // QRStatus.FAIL -> Outcome.FAIL
      },
    }),
    StepDef({
      id: 'revise_plan',
      handler: ({ checkpoint }) => writePlan(directory, [...readPlan(directory), ...(checkpoint.missing as string[]).slice(0, 1)]),
      next: { [Outcome.OK]: 'qr_completeness' },
    }),
    StepDef({ id: 'implementation', handler: () => ({ implemented: readPlan(directory) }), next: null }),
  );
}

/** An engine's options with a reviewer who fails the plan in this folder until nothing is missing in it. */
export function withReviewer(directory: string): EngineOptions {
  const reviewer = createScriptedDriver(({ cwd }) => {
    const plan = readPlan(cwd);
    const missing = PARTS.filter((part) => !plan.includes(part));
    return [{ do: 'answer', output: { status: missing.length === 0 ? 'PASS' : 'FAIL', missing } }];
  });
  return { cwd: directory, roles: { [AgentRole.QUALITY_REVIEWER]: { driver: 'scripted' } }, drivers: { scripted: reviewer } };
}
