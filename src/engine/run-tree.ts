// Reads a run together with the runs it started: which of them have not ended, what they wait for, and which one is due
// next; and all runs of a tree. It reads the store and changes nothing.

import { withoutVisits } from '../definition/address.ts';
import { isFinal, isSettled } from '../definition/run-status.ts';
import type { RunState } from '../kernel/run-state.ts';
import type { Store } from '../store/store.ts';
import { readWaits } from './inspect.ts';
import type { OpenWait } from './status.ts';
import { dueOf } from './status.ts';

/** A run of a tree that has not ended. */
export type TreeRun = Pick<Awaited<ReturnType<Store['load']>>, 'state' | 'owner' | 'definition'>;

/** A wait of a run or of one below it. */
export interface TreeWait {
  readonly run: string;
  readonly wait: OpenWait;
}

/** A run with all runs below it. */
export interface RunTree {
  readonly root: RunState;
  /** The run and those below it that have not ended, the run first. */
  readonly runs: readonly TreeRun[];
  /** All waits except those for a run below, whose own waits are listed instead. */
  readonly waits: readonly TreeWait[];
  /** The nearest time at which one of the runs continues by itself. */
  readonly due: { readonly run: string; readonly at: number } | undefined;
}

/** Reads a run and the runs below it that have not ended. */
export async function readRunTree(store: Store, run: string): Promise<RunTree> {
  const { state, owner, definition } = await store.load(run);
  const waits: TreeWait[] = [];
  const runs: TreeRun[] = isFinal(state.status) ? [] : [{ state, owner, definition }];
  // A paused run continues when a person says so, whatever is due in it.
  const at = isSettled(state.status) || state.paused ? undefined : dueOf(state);
  let due = at === undefined ? undefined : { run, at };
  for (const wait of await readWaits(store, state)) {
    const child = wait.kind === 'child' && (await store.resolve(wait.child, 1)).length > 0 ? wait.child : undefined;
    const below = child === undefined ? undefined : await readRunTree(store, child);
    if (below === undefined || below.runs.length === 0) waits.push({ run, wait });
    else {
      waits.push(...below.waits);
      runs.push(...below.runs);
      if (below.due !== undefined && (due === undefined || below.due.at < due.at)) due = below.due;
    }
  }
  return { root: state, runs, waits, due };
}

/** A run of a tree, ended or not. */
interface PlacedRun {
  readonly id: string;
  /** The steps that led to it, starting at the topmost run. */
  readonly place: string;
  /** True if the step that started it, or one above it, has started a newer run. */
  readonly isReplaced: boolean;
}

/** Returns all runs of the tree that a run belongs to, each before those it started. Of several runs that one step started, the newest comes first. */
export async function readWholeTree(store: Store, run: string): Promise<readonly PlacedRun[]> {
  const { ancestors } = await store.tree(run);
  const all: PlacedRun[] = [{ id: ancestors.at(-1) ?? run, place: '', isReplaced: false }];
  // The list grows during the loop: each run is followed by the runs it started.
  for (const parent of all) {
    const steps = new Set<string>();
    for (const { id } of await store.list({ parent: parent.id })) {
      const { parent: by } = (await store.load(id)).state;
      if (by === undefined) continue;
      const step = withoutVisits(by.path);
      all.push({ id, place: `${parent.place}/${step}`, isReplaced: parent.isReplaced || steps.has(step) });
      steps.add(step);
    }
  }
  return all;
}

/** The ids of a run and of all runs below it, ended or not, the run first. */
export async function readRunIds(store: Store, run: string): Promise<readonly string[]> {
  const below = await Promise.all((await store.list({ parent: run })).map(({ id }) => readRunIds(store, id)));
  return [run, ...below.flat()];
}
