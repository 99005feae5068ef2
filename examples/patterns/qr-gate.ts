// Pattern 4: a quality reviewer passes a plan or sends it back. The reviewer is an agent that is started with a script;
// PASS and FAIL in its report become outcomes. Here it is simulated, and reads the plan from its file.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createScriptedDriver, defineWorkflow, type EngineOptions } from '../../src/index.ts';

const PARTS = ['goal', 'steps', 'risks'];
const PLAN = 'plan.json';
const REVIEWER = 'quality-reviewer';

function readPlan(directory: string): string[] {
  return JSON.parse(readFileSync(join(directory, PLAN), 'utf8')) as string[];
}

function writePlan(directory: string, plan: readonly string[]): readonly ['ok', object] {
  writeFileSync(join(directory, PLAN), JSON.stringify(plan));
  return ['ok', { parts: plan.length }];
}

/** A plan in a folder is written, reviewed, revised until the reviewer passes it, and implemented. */
export function createPlanner(directory: string) {
  return defineWorkflow({
    name: 'planner',
    steps: {
      write_plan: { handler: () => writePlan(directory, ['goal']), next: { ok: 'qr_completeness' } },
      qr_completeness: {
        title: 'QR: Plan Completeness',
        actions: ['Check that the plan has a goal, steps and risks.'],
        agent: REVIEWER,
        script: 'skills.planner.qr.plan_completeness',
        next: {
          ok: 'implementation', // the reviewer reports PASS
          fail: 'revise_plan', // the reviewer reports FAIL
        },
      },
      revise_plan: {
        handler: ({ checkpoint }) => writePlan(directory, [...readPlan(directory), ...(checkpoint.missing as string[]).slice(0, 1)]),
        next: { ok: 'qr_completeness' },
      },
      implementation: { handler: () => ({ implemented: readPlan(directory) }), next: null },
    },
  });
}

/** The options of an engine whose reviewer fails the plan in this folder until it is complete. */
export function withReviewer(directory: string): EngineOptions {
  const reviewer = createScriptedDriver(({ cwd }) => {
    const plan = readPlan(cwd);
    const missing = PARTS.filter((part) => !plan.includes(part));
    return [{ do: 'answer', output: { status: missing.length === 0 ? 'PASS' : 'FAIL', missing } }];
  });
  return { cwd: directory, roles: { [REVIEWER]: { driver: 'scripted' } }, drivers: { scripted: reviewer } };
}
