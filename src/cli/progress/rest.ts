// Owns what a run and the runs it started wait for, and which of them has to be looked at next.

import { dueOf, isFinal, isSettled, type RunState, type RunStatus } from '../../kernel/run-state.ts';
import { type OpenWait, waitsOf } from '../../kernel/status.ts';
import type { Store } from '../../store/store.ts';
import { exitOf } from '../status.ts';

/** A wait of a run or of one below it. */
export interface RestingWait {
  readonly run: string;
  readonly wait: OpenWait;
}

/** A run that rests, with all runs below it. */
export interface Rest {
  /** The run and those below it that have not ended. */
  readonly runs: readonly { readonly state: RunState; readonly owner: string | undefined }[];
  /** All waits but those for a run below, whose own waits are listed instead. */
  readonly waits: readonly RestingWait[];
  /** The nearest time at which one of the runs goes on by itself. */
  readonly due: { readonly run: string; readonly at: number } | undefined;
}

const EXIT_USED_UP = 5;

/** The exit code of a command that ends with a run: one that waits for nothing but budget or quota has a code of its own. */
export function exitOfRest(status: RunStatus, { waits }: Pick<Rest, 'waits'>): number {
  const isUsedUp =
    waits.length > 0 && waits.every(({ wait }) => wait.kind === 'budget' || (wait.kind === 'capacity' && wait.due !== undefined));
  return isUsedUp && !isSettled(status) ? EXIT_USED_UP : exitOf(status);
}

/** Reads what a run and the runs it started wait for. */
export async function readRest(store: Store, run: string): Promise<Rest> {
  const { state, owner } = await store.load(run);
  const waits: RestingWait[] = [];
  const runs: Rest['runs'][number][] = isFinal(state.status) ? [] : [{ state, owner }];
  const at = isSettled(state.status) ? undefined : dueOf(state);
  let due = at === undefined ? undefined : { run, at };
  for (const wait of waitsOf(state)) {
    const below =
      wait.child === undefined || (await store.resolve(wait.child, 1)).length === 0 ? undefined : await readRest(store, wait.child);
    if (below === undefined || below.runs.length === 0) waits.push({ run, wait });
    else {
      waits.push(...below.waits);
      runs.push(...below.runs);
      if (below.due !== undefined && (due === undefined || below.due.at < due.at)) due = below.due;
    }
  }
  return { runs, waits, due };
}
