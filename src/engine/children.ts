// Owns runs that are started by runs. A child's id is derived from its parent and path, so starting it twice starts it
// once. Its last commit posts mail to its parent, and a cancelled parent cancels it and waits.

import { EngineError, isEngineError, isTransient, messageOf } from '../base/error.ts';
import type { CompiledWorkflow } from '../definition/code.ts';
import type { ChildEffect } from '../kernel/effect.ts';
import type { RunInput, StepError } from '../kernel/input.ts';
import type { RunState } from '../kernel/run-state.ts';
import type { AttemptRequest, RelatedRun, RunTreeAccess } from '../steps/attempt.ts';
import { inheritedRecord } from '../steps/protection/accepted-files.ts';
import { ATTENDED } from '../steps/run-records.ts';
import type { Store } from '../store/store.ts';
import type { EngineCore } from './engine.ts';
import type { DriverHost } from './host.ts';
import { placeOf } from './host.ts';
import { findWorkflow } from './programs.ts';
import { readWholeTree } from './run-tree.ts';

/** The parameters of `startChild`. */
export interface ChildStart {
  readonly parent: RunState;
  readonly effect: ChildEffect;
  readonly request: AttemptRequest;
  /** The public keys that the parent accepts. */
  readonly keys: readonly string[] | undefined;
  /** The workflow, if the parent's flow passed it as a value. */
  readonly passed?: CompiledWorkflow | undefined;
}

/** Starts the child that an activation waits for, or follows it if it already exists. */
export async function startChild(core: EngineCore, start: ChildStart): Promise<readonly RunInput[]> {
  const { child, activation } = start.effect;
  const { path } = activation;
  try {
    await beginChild(core, start);
    return [];
  } catch (error) {
    if (isEngineError(error) && error.code === 'RUN_EXISTS') return followChild(core, child);
    if (core.isDraining()) return [];
    return [{ type: 'childEnded', at: core.clock.now(), path, child, status: 'failed', refused: startFailure(start, error) }];
  }
}

/** Why the child could not be started. The error's code decides whether a retry can help. */
function startFailure({ effect, request, passed }: ChildStart, error: unknown): StepError {
  const workflow = passed?.definition.name ?? childName(request);
  return {
    code: isEngineError(error) ? error.code : 'STEP_FAILED',
    message: `step "${effect.activation.step}" could not start workflow "${workflow}": ${messageOf(error)}`,
    reason: 'error',
    ...(isEngineError(error) && !isTransient(error) ? { retryable: false } : {}),
  };
}

/** The name of the workflow that a step starts. */
function childName({ bound: { model } }: AttemptRequest): string {
  if (model.kind !== 'workflow') throw new Error(`step "${model.id}" does not start a workflow`);
  return model.workflow;
}

async function beginChild(core: EngineCore, { parent, effect, request, passed, keys }: ChildStart): Promise<void> {
  const { child, activation } = effect;
  const depth = (parent.depth ?? 0) + 1;
  const { depthMax, runsMax, source, childInput } = core.parts;
  if (depth > depthMax)
    throw new EngineError('CHILD_DEPTH', `step "${activation.step}" would start a run at depth ${depth}; the limit is ${depthMax}`);
  if ((await core.store.tree(parent.id)).runs >= runsMax)
    throw new EngineError(
      'LIMIT_REACHED',
      `step "${activation.step}" cannot start another run: this run and the runs it started already number ${runsMax}, the limit`,
    );
  const name = childName(request);
  const workflow = passed ?? request.workflow.children.get(name) ?? findWorkflow(source, name);
  const input = await childInput(request);
  if (request.signal.aborted) return;
  const origin = placeOf(request);
  // A child works for the same agent as its parent.
  const { data } = await request.snapshot();
  const facts = { ...(ATTENDED.in(data) === true ? ATTENDED.with(true) : {}), ...inheritedRecord(data) };
  const signing = { ...(parent.signed === undefined ? {} : { signed: parent.signed }), ...(keys === undefined ? {} : { keys }) };
  await core.start(workflow, input, { id: child, parent: { run: parent.id, path: activation.path }, depth, signing, origin, facts });
  if (request.signal.aborted) await cancelRun(core, child, parent.id);
}

/** Follows a child that already exists and runs by itself. If its owner died together with ours, we drive it. */
async function followChild(core: EngineCore, child: string): Promise<readonly RunInput[]> {
  await core.drive(child).catch((error: unknown) => core.warn(error));
  return [];
}

/** Cancels the child of a parent that is being cancelled. A child that never started counts as cancelled. */
export async function cancelChild(core: EngineCore, parent: string, { child, activation }: ChildEffect): Promise<readonly RunInput[]> {
  const { path } = activation;
  try {
    await cancelRun(core, child, parent);
    return [];
  } catch (error) {
    if (!isEngineError(error) || error.code !== 'RUN_NOT_FOUND') throw error;
    return [{ type: 'childEnded', at: core.clock.now(), path, child, status: 'cancelled' }];
  }
}

async function cancelRun(core: EngineCore, run: string, parent: string): Promise<void> {
  const action = { do: 'cancel' as const, reason: 'its parent was cancelled' };
  const input: RunInput = { type: 'control', at: core.clock.now(), actor: `run ${parent}`, action };
  await core.post({ run, dedupe: 'cancel/parent', values: [], input });
  await core.drive(run, { cancel: true });
}

/** Returns what an attempt can read about the run's tree. */
export function runTreeOf(host: Pick<DriverHost, 'store' | 'workflowOf'>, run: RunState): RunTreeAccess {
  return {
    isChild: run.parent !== undefined,
    workflow(name) {
      try {
        return host.workflowOf(name);
      } catch {
        return undefined;
      }
    },
    others: () => othersIn(host.store, run.id),
  };
}

async function othersIn(store: Store, run: string): Promise<readonly RelatedRun[]> {
  const others = (await readWholeTree(store, run)).filter(({ id }) => id !== run);
  return await Promise.all(others.map(async ({ id, ...rest }) => ({ ...rest, data: Object.fromEntries(await store.data(id)) })));
}
