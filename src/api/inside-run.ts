// Owns the refusal of a program that works inside of a run or for a coding agent.
//
// L1. Whatever a step starts decides about no run of the store that its own run is in.
// L2. Whatever a step or a coding agent starts decides about no run of a store that belongs to a user's state folder:
//     those are the runs of the command line. A store that a program made for itself, such as that of a test suite which
//     a gate runs, is the program's.

import { type Above, readAncestors, standsAbove, withDrivers } from '../authority/ancestry.ts';
import { EngineError, isEngineError } from '../base/error.ts';
import { processOf } from '../process/owner.ts';
import type { Store } from '../store/store.ts';

/** Refuses a person's deed in a process that a step of a run of this store, or an agent, has started. */
export async function assertOutside(store: Store, deed: string, own?: string): Promise<void> {
  const ancestors = withDrivers(readAncestors(), await driversOf(store));
  // Whoever drives runs of this store tells more than a variable, which anybody can set.
  const drives = ancestors.flatMap((ancestor) => ancestor.drives ?? []);
  if (own !== undefined && drives.includes(own)) return;
  const above = drives.length > 0 ? standsAbove({}, ancestors) : standsAbove(process.env, ancestors);
  if (above === undefined || !(await isAbout(store, above))) return;
  const where = above.what === 'agent' ? above.name : above.run === undefined ? 'a run' : `run ${above.run}`;
  throw new EngineError(
    'NOT_ALLOWED',
    `a program inside of ${where} cannot ${deed}: only a person can, outside of it; leave it to them ("pawl inbox" shows what waits)`,
    { details: above.what === 'run' && above.run !== undefined ? { run: above.run } : {} },
  );
}

/** Whether what stands above a process keeps it from deciding in a store. */
async function isAbout(store: Store, above: Above): Promise<boolean> {
  if (above.what === 'run' && above.run !== undefined && (await hasRun(store, above.run))) return true;
  return (await store.origin()) !== undefined;
}

async function driversOf(store: Store): Promise<readonly { readonly pid: number; readonly run: string }[]> {
  const runs = await store.list({ status: ['running', 'waiting'] });
  return runs.flatMap(({ id, owner }) => {
    const pid = owner === undefined ? undefined : processOf(owner);
    return pid === undefined ? [] : [{ pid, run: id }];
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
