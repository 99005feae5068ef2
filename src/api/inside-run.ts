// Owns the rejection of decisions by programs that run inside a run or for a coding agent.
//
// - A process that a step started cannot decide about runs in the store of its own run.
// - A process that a step or a coding agent started cannot decide about runs in a store in a user's state folder:
//   those are the runs of the command line. It can in a store that it created itself, for example in a test suite that a
//   gate runs.

import { type AutomatedParent, findAutomatedParent, readAncestors, withDrivers } from '../authority/ancestry.ts';
import { EngineError, isEngineError } from '../base/error.ts';
import { isSettled } from '../definition/run-status.ts';
import { processOf } from '../process/owner.ts';
import type { Store } from '../store/store.ts';

/** Throws if a step of a run in this store, or an agent, started this process: only a person may do this. */
export async function assertOutside(store: Store, action: string, own?: string): Promise<void> {
  const ancestors = withDrivers(readAncestors(), await driversOf(store));
  // The list of processes that drive runs of this store is more reliable than a variable, which anyone can set.
  const drives = ancestors.flatMap((ancestor) => ancestor.drives ?? []);
  if (own !== undefined && drives.includes(own)) return;
  const above = drives.length > 0 ? findAutomatedParent({}, ancestors) : findAutomatedParent(process.env, ancestors);
  if (above === undefined || !(await isAbout(store, above))) return;
  const where = above.is === 'agent' ? above.name : above.run === undefined ? 'a run' : `run ${above.run}`;
  throw new EngineError(
    'NOT_ALLOWED',
    `a program inside ${where} cannot ${action}: only a person outside of it can; leave it to them ("pawl inbox" shows what waits)`,
    { details: above.is === 'run' && above.run !== undefined ? { run: above.run } : {} },
  );
}

/** Whether the ancestors of a process forbid it to decide in a store. */
async function isAbout(store: Store, above: AutomatedParent): Promise<boolean> {
  if (above.is === 'run' && above.run !== undefined && (await hasRun(store, above.run))) return true;
  return (await store.origin()) !== undefined;
}

/** The processes that drive open runs. Runs that nobody drives are not read: there may be thousands of them. */
async function driversOf(store: Store): Promise<readonly { readonly pid: number; readonly run: string }[]> {
  const heads = await store.heads({ of: 'owned' });
  return heads.flatMap(({ run, owner, status }) => {
    const pid = owner === undefined || isSettled(status) ? undefined : processOf(owner);
    return pid === undefined ? [] : [{ pid, run }];
  });
}

async function hasRun(store: Store, run: string): Promise<boolean> {
  try {
    await store.load(run);
    return true;
  } catch (error) {
    if (isEngineError(error) && error.code === 'RUN_NOT_FOUND') return false;
    throw error;
  }
}
