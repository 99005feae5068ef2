// Owns the list of the built-in kinds of steps and gate checks. A new one is its folder and a line here. How they are
// executed is loaded by need: a run of functions needs neither programs nor agents.

import type { Compilers, KindCompiler } from '../authoring/graph-work.ts';
import type { CheckDeclaration } from '../definition/check.ts';
import type { StepKind } from '../definition/model.ts';
import { Stopped } from '../steps/abort.ts';
import type { GateCheck } from '../steps/check.ts';
import type { Executor, Executors, KindExecutor } from '../steps/work.ts';
import { action } from './action/compile.ts';
import { agent } from './agent/compile.ts';
import { command } from './command/compile.ts';
import { delay } from './delay/compile.ts';
import { each } from './each/compile.ts';
import { anyOfCheck } from './gate/checks/any-of/declare.ts';
import { ciStatusCheck } from './gate/checks/ci-status/declare.ts';
import { commandCheck } from './gate/checks/command/declare.ts';
import { coverageCheck } from './gate/checks/coverage/declare.ts';
import { fileExistsCheck } from './gate/checks/file-exists/declare.ts';
import { prApprovalCheck } from './gate/checks/pr-approval/declare.ts';
import { webhookCheck } from './gate/checks/webhook/declare.ts';
import { gate } from './gate/compile.ts';
import { generate } from './generate/compile.ts';
import { human } from './human/compile.ts';
import { own } from './own/compile.ts';
import { parallel } from './parallel/compile.ts';
import { signal } from './signal/compile.ts';
import { task } from './task/compile.ts';
import { execute as executeTask } from './task/run.ts';
import { validate } from './validate/compile.ts';
import { webhook } from './webhook/compile.ts';
import { workflow } from './workflow/compile.ts';

/** Everything about the kinds and checks that there are: how they are written, validated and executed. */
export interface Registry extends Compilers, Executors {
  readonly kinds: Readonly<Record<StepKind, KindCompiler & KindExecutor>>;
  readonly checks: Readonly<Record<string, CheckDeclaration & GateCheck>>;
}

/** The built-in kinds and checks, by name. */
export const REGISTRY: Registry = Object.freeze({
  kinds: Object.freeze({
    task: { ...task, execute: executeTask },
    command: { ...command, execute: byNeed(() => import('./command/run.ts')) },
    gate: { ...gate, execute: byNeed(() => import('./gate/run.ts')) },
    human,
    parallel,
    each,
    delay: { ...delay, execute: byNeed(() => import('./delay/run.ts')) },
    workflow,
    validate: { ...validate, execute: byNeed(() => import('./validate/run.ts')) },
    agent: { ...agent, execute: byNeed(() => import('./agent/run.ts')) },
    generate: { ...generate, execute: byNeed(() => import('./generate/run.ts')) },
    signal,
    webhook: { ...webhook, execute: byNeed(() => import('./webhook/run.ts')) },
    action: { ...action, execute: byNeed(() => import('./action/run.ts')) },
    own: { ...own, execute: byNeed(() => import('./own/run.ts')) },
  }),
  checks: Object.freeze({
    command: { ...commandCheck, run: checkByNeed(() => import('./gate/checks/command/run.ts')) },
    file_exists: { ...fileExistsCheck, run: checkByNeed(() => import('./gate/checks/file-exists/run.ts')) },
    coverage: { ...coverageCheck, run: checkByNeed(() => import('./gate/checks/coverage/run.ts')) },
    webhook: { ...webhookCheck, run: checkByNeed(() => import('./gate/checks/webhook/run.ts')) },
    pr_approval: { ...prApprovalCheck, run: checkByNeed(() => import('./gate/checks/pr-approval/run.ts')) },
    ci_status: { ...ciStatusCheck, run: checkByNeed(() => import('./gate/checks/ci-status/run.ts')) },
    any_of: { ...anyOfCheck, run: checkByNeed(() => import('./gate/checks/any-of/run.ts')) },
  }),
});

function byNeed(load: () => Promise<{ readonly execute: Executor }>): Executor {
  return async (job) => {
    const { execute } = await load();
    if (job.request.signal.aborted) throw new Stopped();
    return await execute(job);
  };
}

function checkByNeed(load: () => Promise<{ readonly run: GateCheck['run'] }>): GateCheck['run'] {
  return async (config, scene) => (await load()).run(config, scene);
}
