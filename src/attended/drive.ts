// Drives a run for its agent: until a step is open for the agent, or until only a person, another program or a
// later time can continue the run. A run whose process died is resumed; a paused or halted one is left alone.

import type { Engine } from '../api/engine.ts';
import { changeOrTime, isUndriven, resumeUndriven, TIMER_MS_MAX } from '../api/undriven.ts';
import { readRunTree, type TreeRun } from '../engine/run-tree.ts';
import { dueOf, statusOf } from '../engine/status.ts';
import type { Store } from '../store/store.ts';
import { type AttendedRun, readAttendedRun, sourceOfEngine } from './attended-run.ts';

/** How long a call may take. */
export interface DriveLimits {
  /** Returns after this time even if something is still running. */
  readonly waitMs?: number;
  /** The limit while no step is open for the agent. */
  readonly idleMs?: number | undefined;
  /** Stops waiting for a timer or a schedule. */
  readonly stopped?: Promise<void>;
  /** Returns immediately even if something is still running: the caller no longer waits for the reply. */
  readonly signal?: AbortSignal;
}

/** If the run continues by itself within this time, the call waits for it. */
const SOON_MS = 60_000;
/** How often a long wait checks whether a step has opened while others are still running. */
export const POLL_MS = 2000;

/** Drives a run until only its agent, a person or another program can continue it, and returns it as its agent sees it. */
export async function driveForAgent(engine: Engine, run: string, limits: DriveLimits = {}): Promise<AttendedRun> {
  const { waitMs = TIMER_MS_MAX, idleMs = waitMs, stopped, signal } = limits;
  const last = Date.now() + Math.max(idleMs, waitMs);
  let end = Date.now() + waitMs;
  for (;;) {
    for (const treeRun of (await readRunTree(engine.store, run)).runs)
      if (await shouldResume(engine.store, treeRun)) await resumeUndriven(engine, treeRun.state.id);
    const isIdle = await endsWithin(engine.run(run).waitOnly('idle'), end - Date.now(), signal);
    const now = await readAttendedRun(sourceOfEngine(engine), run);
    if (!isIdle && now.kind !== 'work' && Date.now() < last && signal?.aborted !== true) {
      end = Math.min(last, Date.now() + POLL_MS);
      continue;
    }
    if (!isIdle || signal?.aborted === true || now.kind !== 'waiting' || now.due === undefined) return now;
    if (now.due > Math.min(end, Date.now() + SOON_MS)) return now;
    await changeOrTime(engine.store, now.due, stopped);
  }
}

/** Whether a promise settles within a time; rejects if it rejects before that. The timer keeps the process alive. */
export async function endsWithin(work: Promise<unknown>, ms: number, signal?: AbortSignal): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<false>();
  const timer = setTimeout(() => resolve(false), signal?.aborted === true ? 0 : Math.min(TIMER_MS_MAX, Math.max(0, ms)));
  const stop = (): void => resolve(false);
  signal?.addEventListener('abort', stop);
  try {
    return await Promise.race([work.then(() => true as const), late]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
    // The caller no longer waits for it; the run itself records a later failure.
    work.catch(() => undefined);
  }
}

/** Resumes a run that should be running but has no process; returns whether it did. */
export async function resumeAbandoned(engine: Engine, run: string): Promise<boolean> {
  const loaded = await engine.store.load(run);
  const isAbandoned = isUndriven(loaded) && statusOf(loaded.state) === 'running';
  if (isAbandoned) await resumeUndriven(engine, run);
  return isAbandoned;
}

async function shouldResume(store: Store, run: TreeRun): Promise<boolean> {
  if (!isUndriven(run)) return false;
  const { state } = run;
  const due = dueOf(state);
  return statusOf(state) === 'running' || (due !== undefined && due <= Date.now()) || (await store.inbox(state.id, 0)).length > 0;
}
