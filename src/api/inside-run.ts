// Owns the refusal of a program that works inside of a run: whatever a step starts decides about no run of the store that
// its own run is in. A program inside of the run of another store, such as a test suite that a gate runs, is free.

import { readAncestors, standsAbove } from '../authority/ancestry.ts';
import { EngineError, isEngineError } from '../base/error.ts';
import type { Store } from '../store/store.ts';

/** Refuses a person's deed in a process that a step of a run of this store has started. */
export async function assertOutside(store: Store, deed: string): Promise<void> {
  const above = standsAbove(process.env, readAncestors());
  if (above?.what !== 'run' || above.run === undefined || !(await hasRun(store, above.run))) return;
  throw new EngineError(
    'NOT_ALLOWED',
    `a program inside of run ${above.run} cannot ${deed}: only a person can, outside of it; leave it to them ("pawl gates" shows what waits)`,
    { details: { run: above.run } },
  );
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
