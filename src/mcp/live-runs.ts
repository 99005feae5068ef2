// Owns the tree of a run: the run and all those that it started, as far as they go on.

import { isFinal, type RunState } from '../kernel/run-state.ts';
import type { Store } from '../store/store.ts';

/** A run of a tree that has not ended, and who drives it. */
export interface LiveRun {
  readonly state: RunState;
  readonly owner: string | undefined;
}

/** The runs of a tree that have not ended for good, the run first. */
export async function liveRuns(store: Store, run: string): Promise<readonly LiveRun[]> {
  const { state, owner } = await store.load(run);
  if (isFinal(state.status)) return [];
  const below = await Promise.all((await store.list({ parent: run })).map(({ id }) => liveRuns(store, id)));
  return [{ state, owner }, ...below.flat()];
}

/** A run and all runs below it, ended or not, the run first. */
export async function runsOf(store: Store, run: string): Promise<readonly string[]> {
  const below = await store.list({ parent: run });
  const deeper = await Promise.all(below.map(({ id }) => runsOf(store, id)));
  return [run, ...deeper.flat()];
}
