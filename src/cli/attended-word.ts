// Owns the beginning of every command with which an agent says something: which run is meant, and by which copy of the
// engine it is driven. Code of the user's own imports the library, so that its run is driven by that very library; a
// run that is a file of data and nothing else needs no second copy, and gets the one that comes with the command.

import { membersOf } from '../definition/model.ts';
import { isSettled } from '../kernel/run-state.ts';
import type { Store } from '../store/store.ts';
import type { Said } from './attended-report.ts';
import type { Given } from './command.ts';
import { rootOf } from './decision-gates.ts';
import { findPlace, findRun, openForRun } from './session.ts';
import type { Shell } from './shell.ts';

const DATA_FILE = /\.ya?ml$/;

/** Runs a command with which an agent reports or asks. */
export async function sayByCommand(shell: Shell, given: Given, said: Said): Promise<number> {
  const place = await findPlace(shell, given);
  const prefix = given.word('RUN');
  const store = await openForRun(place, prefix);
  try {
    const run = await findRun(store, prefix, place);
    const root = await rootOf(store, run);
    const { sayTo } = (await isOnlyData(store, root)) ? await import('./attended-report-alone.ts') : await import('./attended-report.ts');
    return await sayTo(shell, place, { ...said, store, run, root });
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
