// Owns what an idle run and its child runs wait for, and which of them is due next.

import { dueOf, isFinal, isSettled, type RunState, type RunStatus } from '../../kernel/run-state.ts';
import { type OpenWait, waitsOf } from '../../kernel/status.ts';
import type { Store } from '../../store/store.ts';
import { exitOf } from '../status.ts';

/** A wait of a run or of one of its child runs. */
export interface IdleWait {
  readonly run: string;
  readonly wait: OpenWait;
}

/** A run in which nothing executes, with its child runs. */
export interface IdleRun {
  /** The run and its child runs that have not ended. */
  readonly runs: readonly { readonly state: RunState; readonly owner: string | undefined }[];
  /** All waits; instead of a wait for a child run, the waits of that child. */
  readonly waits: readonly IdleWait[];
  /** The earliest time at which one of the runs continues by itself. */
  readonly due: { readonly run: string; readonly at: number } | undefined;
}

const EXIT_USED_UP = 5;

/** The exit code of a command that ends with a run; a run that waits only for budget or quota has its own code. */
export function exitOfIdle(status: RunStatus, { waits }: Pick<IdleRun, 'waits'>): number {
  const isUsedUp =
    waits.length > 0 && waits.every(({ wait }) => wait.kind === 'budget' || (wait.kind === 'capacity' && wait.due !== undefined));
  return isUsedUp && !isSettled(status) ? EXIT_USED_UP : exitOf(status);
}

/** Reads what a run and its child runs wait for. */
export async function readIdle(store: Store, run: string): Promise<IdleRun> {
  const { state, owner } = await store.load(run);
  const waits: IdleWait[] = [];
  const runs: IdleRun['runs'][number][] = isFinal(state.status) ? [] : [{ state, owner }];
  const at = isSettled(state.status) ? undefined : dueOf(state);
  let due = at === undefined ? undefined : { run, at };
  for (const wait of waitsOf(state)) {
    const below =
      wait.child === undefined || (await store.resolve(wait.child, 1)).length === 0 ? undefined : await readIdle(store, wait.child);
    if (below === undefined || below.runs.length === 0) waits.push({ run, wait });
    else {
      waits.push(...below.waits);
      runs.push(...below.runs);
      if (below.due !== undefined && (due === undefined || below.due.at < due.at)) due = below.due;
    }
  }
  return { runs, waits, due };
}
