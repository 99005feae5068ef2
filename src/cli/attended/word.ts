// Owns the start of every command with which an agent reports or asks: which run is meant, and which copy of the engine
// drives it.

import { membersOf } from '../../definition/model.ts';
import { isSettled } from '../../kernel/run-state.ts';
import type { Store } from '../../store/store.ts';
import type { ParsedArgs } from '../command.ts';
import { rootOf } from '../decision/approvals.ts';
import { findPlace, findRun, openForRun } from '../session.ts';
import type { Shell } from '../shell.ts';
import { type Said, sayTo } from './report.ts';

const DATA_FILE = /\.ya?ml$/;

/** Runs a command with which an agent reports or asks. */
export async function sayByCommand(shell: Shell, given: ParsedArgs, said: Said): Promise<number> {
  const place = await findPlace(shell, given);
  const prefix = given.word('RUN');
  const store = await openForRun(place, prefix);
  try {
    const run = await findRun(store, prefix, place);
    const root = await rootOf(store, run);
    // Code of the user imports the library, so its run is driven by the same copy: that of main.cjs (scripts/bundle.js).
    const say = (await isOnlyData(store, root)) ? sayTo : (await import('./report.ts')).sayTo;
    return await say(shell, place, { ...said, store, run, root });
  } finally {
    await store.close();
  }
}

/** Whether driving a run loads no module: it is a workflow file that starts no other, or it is not driven any more. */
async function isOnlyData(store: Store, root: string): Promise<boolean> {
  const { state, definition, origin } = await store.load(root);
  if (isSettled(state.status)) return true;
  return (
    DATA_FILE.test(origin.file ?? '') &&
    definition.steps.every((step) => [step, ...membersOf(step)].every(({ kind }) => kind !== 'workflow'))
  );
}
