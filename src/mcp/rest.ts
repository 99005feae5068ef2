// Owns the way of a run to the point where it needs somebody: what executes may end, what is due goes on, and a run that
// lost its process is taken up again. A run that a person paused or that halted is left as it is.

import type { Engine } from '../api/engine.ts';
import { isEngineError } from '../base/error.ts';
import { dueOf, isSettled } from '../kernel/run-state.ts';
import { statusOf } from '../kernel/status.ts';
import { isDead } from '../process/owner.ts';
import { type LiveRun, liveRuns } from './live-runs.ts';
import { readStanding, type Standing } from './standing.ts';

/** Drives a run until a step is open for the agent or nothing goes on by itself, for so long; gives how it stands. */
export async function untilRest(engine: Engine, run: string, patienceMs: number): Promise<Standing> {
  const end = Date.now() + patienceMs;
  for (;;) {
    await takeUp(engine, run);
    const left = end - Date.now();
    const isIdle = await isBefore(engine.run(run).waitOnly('idle'), left);
    const standing = await readStanding(engine, run);
    const { due = Number.POSITIVE_INFINITY } = standing;
    if (!isIdle || standing.handouts.length > 0 || isSettled(standing.status) || due > end) return standing;
    await changeOrTime(engine, due);
  }
}

/** Whether something happens within a time; when it fails, it fails here. */
export async function isBefore(happening: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), Math.max(0, ms));
  });
  try {
    return await Promise.race([happening.then(() => true as const), late]);
  } finally {
    clearTimeout(timer);
    // Whoever waited is gone; what fails later is told by the run itself.
    happening.catch(() => undefined);
  }
}

/** Waits for a commit of any process, or for a time. */
function changeOrTime(engine: Engine, at: number): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      unfollow();
      resolve();
    };
    const timer = setTimeout(done, Math.max(0, at - Date.now()));
    const unfollow = engine.store.follow(done);
  });
}

/** Drives on the runs of a tree that nobody drives although they could go on. */
async function takeUp(engine: Engine, run: string): Promise<void> {
  for (const one of await liveRuns(engine.store, run)) {
    if (!(await isLeft(engine, one))) continue;
    try {
      await engine.run(one.state.id).resume();
    } catch (error) {
      // Somebody was quicker.
      if (!isEngineError(error) || !['RUN_LOCKED', 'RUN_FINAL'].includes(error.code)) throw error;
    }
  }
}

async function isLeft({ store }: Engine, { state, owner }: LiveRun): Promise<boolean> {
  if (state.paused || isSettled(state.status) || (owner !== undefined && !isDead(owner))) return false;
  const due = dueOf(state);
  return statusOf(state) === 'running' || (due !== undefined && due <= Date.now()) || (await store.inbox(state.id, 0)).length > 0;
}
