// Owns a run as seen by the agent that does its steps: the steps that are open for it, or why there are none.
// It reads a store and changes nothing.
//
// AT1. Nothing is open in a run that a person paused.

import type { Engine } from '../api/engine.ts';
import { omitUndefined } from '../base/fields.ts';
import { modelAt, splitName, topStepOf } from '../definition/address.ts';
import { isFinal, isHalted, type RunStatus } from '../definition/run-status.ts';
import { type OpenStep, openStepsOf } from '../engine/request/open-steps.ts';
import { type RunTree, readRunTree, type TreeRun } from '../engine/run-tree.ts';
import { statusOf } from '../engine/status.ts';
import { keyReader } from '../process/key-file.ts';
import { isDead } from '../process/owner.ts';
import type { Store } from '../store/store.ts';
import { dispatchesOf, dispatchFor, type WorkDispatch } from './dispatch.ts';
import { type ExplainedWait, explainWaits } from './waits.ts';

/** A step that is open for the agent, with its number in the definition; steps of a flow have none. */
export interface OpenWork extends OpenStep {
  readonly number: number | undefined;
  /** The sub-agent that must do it; absent if the run's own agent does. */
  readonly dispatch?: WorkDispatch;
}

/** Open work as its sub-agent gets it. */
export function withoutDispatch({ dispatch: _, ...work }: OpenWork): OpenWork {
  return work;
}

/** The name of a step for agents: an item is named after its fan-out, a branch as `group/branch`. */
export function stepName(step: string): string {
  const { id, member } = splitName(step);
  return member === id ? id : step;
}

/** The names of open steps, each once. */
export function stepNames(work: readonly OpenWork[]): readonly string[] {
  return [...new Set(work.map(({ step }) => stepName(step)))];
}

/** The rules for the result of a step, if it has any. */
export function resultLines({ schema, kind }: Pick<OpenWork, 'schema' | 'kind'>): string[] {
  if (schema !== undefined) return [`The result must match this JSON Schema: ${JSON.stringify(schema)}`];
  return kind === 'generate' ? ['The result must be a JSON string.'] : [];
}

/** The message for a worker whose only step is no longer open. */
export const NOTHING_LEFT = 'There is nothing left to do for you.';

/** A run as its agent sees it: its open work, or why there is none. */
export type AttendedRun = (RunFacts & { readonly kind: 'work'; readonly work: readonly OpenWork[] }) | IdleRun;

/** A run in which nothing is open for the agent. */
export type IdleRun = RunFacts & IdleReason;

type IdleReason =
  /** A live process is running something. */
  | { readonly kind: 'executing' }
  /** Something should be running, but no process drives the run. */
  | { readonly kind: 'abandoned' }
  /** It waits for a person, for another program, or for the time `due`. */
  | { readonly kind: 'waiting'; readonly waits: readonly ExplainedWait[]; readonly due: number | undefined }
  /** It failed or escalated; a person has to decide how it continues. */
  | { readonly kind: 'halted'; readonly status: RunStatus; readonly problem: string | undefined }
  | { readonly kind: 'ended'; readonly status: RunStatus; readonly problem: string | undefined };

interface RunFacts {
  readonly id: string;
  readonly workflow: string;
  /** The total length of the logs of the run and its child runs: it grows with every event. */
  readonly position: number;
}

/** Reads runs, and their open work with its tokens. */
export interface WorkSource {
  readonly store: Store;
  openSteps(run: string): Promise<readonly OpenStep[]>;
}

/** Reads a database file, without an engine. */
export function sourceOfFile(store: Store, file: string): WorkSource {
  const core = { store, parts: { tokenKey: keyReader(file) } };
  return { store, openSteps: (run) => openStepsOf(core, run) };
}

/** Reads the store of an engine. */
export function sourceOfEngine(engine: Engine): WorkSource {
  return { store: engine.store, openSteps: (run) => engine.run(run).openSteps() };
}

/** Reads a run and its child runs as their agent sees them. */
export async function readAttendedRun(source: WorkSource, run: string): Promise<AttendedRun> {
  const tree = await readRunTree(source.store, run);
  const open = tree.runs.filter(
    ({ state }) => !state.paused && tree.waits.some(({ run: id, wait }) => id === state.id && wait.kind === 'report'),
  );
  const work = (await Promise.all(open.map((treeRun) => workOf(source, tree, treeRun)))).flat();
  // The steps were reported between the two reads: read again.
  if (open.length > 0 && work.length === 0) return readAttendedRun(source, run);
  const { id, workflow } = tree.root;
  const position = tree.runs.reduce((sum, { state }) => sum + state.seq, 0);
  return { id, workflow, position, ...(work.length > 0 ? { kind: 'work', work } : await idleReason(source.store, tree)) };
}

async function workOf(source: WorkSource, { runs }: RunTree, of: TreeRun): Promise<readonly OpenWork[]> {
  const { state, definition } = of;
  const run = { id: state.id, dispatches: dispatchesOf(runs, of) };
  return (await source.openSteps(state.id)).map((openStep) => {
    const index = definition.steps.findIndex(({ id }) => id === topStepOf(openStep.path));
    const dispatch = dispatchFor({ ...openStep, model: modelAt(definition, openStep.path) }, run);
    return { ...openStep, number: index === -1 ? undefined : index + 1, ...omitUndefined({ dispatch }) };
  });
}

/** The sub-agent for the work at a path of a run; undefined if the run's own agent did it. */
export async function dispatchOf(
  store: Store,
  root: string,
  work: { readonly run: string; readonly path: string },
): Promise<WorkDispatch | undefined> {
  const { runs } = await readRunTree(store, root);
  const of = runs.find(({ state }) => state.id === work.run);
  if (of === undefined) return undefined;
  const model = modelAt(of.definition, work.path);
  return dispatchFor({ model, path: work.path, role: '' }, { id: work.run, dispatches: dispatchesOf(runs, of) });
}

async function idleReason(store: Store, { root, runs, waits, due }: RunTree): Promise<IdleReason> {
  const status = statusOf(root);
  if (isFinal(status) || isHalted(status)) return { kind: isFinal(status) ? 'ended' : 'halted', status, problem: root.halt?.message };
  const others = waits.filter(({ wait }) => wait.kind !== 'report');
  if (others.length > 0 && !runs.some(({ state }) => statusOf(state) === 'running'))
    return { kind: 'waiting', waits: await explainWaits(store, others), due: due?.at };
  return { kind: runs.some(({ owner }) => owner !== undefined && !isDead(owner)) ? 'executing' : 'abandoned' };
}
