// Continues runs that no process drives: finds them, resumes one, and waits for the next change. Commands and attended
// sessions share it.

import { isEngineError } from '../base/error.ts';
import { isSettled } from '../definition/run-status.ts';
import type { TreeRun } from '../engine/run-tree.ts';
import { isDead } from '../process/owner.ts';
import type { Store } from '../store/store.ts';
import type { Engine } from './engine.ts';

/** The longest delay that a timer supports. */
export const TIMER_MS_MAX = 2 ** 31 - 1;

/** Whether no process drives a run that may continue. A paused or stopped run continues only when a person resumes it. */
export function isUndriven({ state, owner }: Pick<TreeRun, 'state' | 'owner'>): boolean {
  return !state.paused && !isSettled(state.status) && (owner === undefined || isDead(owner));
}

/** Resumes a run, unless another process did so first or the engine is closing. */
export async function resumeUndriven(engine: Engine, run: string): Promise<void> {
  try {
    await engine.run(run).resume();
  } catch (error) {
    if (!isEngineError(error) || !['RUN_LOCKED', 'ENGINE_CLOSED', 'RUN_FINAL'].includes(error.code)) throw error;
  }
}

/** Waits for a commit of any process, until a time, or until the caller stops. The timer keeps the process alive. */
export function changeOrTime(store: Store, at: number | undefined, stopped?: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      unfollow();
      resolve();
    };
    const timer = setTimeout(done, Math.min(TIMER_MS_MAX, Math.max(0, (at ?? Number.POSITIVE_INFINITY) - Date.now())));
    const unfollow = store.follow(done);
    stopped?.then(done, done);
  });
}
