// Owns driving a run for its agent: until a step is open for the agent, or until only a person, another program or a
// later time can move the run on. A run whose process died is resumed; one that is paused or halted is left as it is.

import type { Engine } from '../api/engine.ts';
import { isEngineError } from '../base/error.ts';
import { readRunTree, type TreeRun } from '../engine/run-tree.ts';
import { dueOf, isSettled } from '../kernel/run-state.ts';
import { statusOf } from '../kernel/status.ts';
import { isDead } from '../process/owner.ts';
import type { Store } from '../store/store.ts';
import { type AttendedRun, readAttendedRun, sourceOfEngine } from './attended-run.ts';

/** How long a call may take. */
export interface DriveLimits {
  /** Returns after this time although something still executes. */
  readonly patienceMs?: number;
  /** Stops waiting for what is due. */
  readonly stopped?: Promise<void>;
}

/** What is due within this time is waited for. */
const SOON_MS = 60_000;
/** The longest timer of the platform. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/** Drives a run to where it needs somebody, and returns what it then means to its agent. */
export async function driveForAgent(engine: Engine, run: string, limits: DriveLimits = {}): Promise<AttendedRun> {
  const { patienceMs = TIMER_MS_MAX, stopped } = limits;
  const end = Date.now() + patienceMs;
  for (;;) {
    for (const one of (await readRunTree(engine.store, run)).runs) if (await shouldResume(engine.store, one)) await resume(engine, one);
    const isIdle = await endsWithin(engine.run(run).waitOnly('idle'), end - Date.now());
    const now = await readAttendedRun(sourceOfEngine(engine), run);
    if (!isIdle || now.kind !== 'waiting' || now.due === undefined) return now;
    if (now.due > Math.min(end, Date.now() + SOON_MS)) return now;
    await changeOrTime(engine.store, now.due, stopped);
  }
}

/** Whether something ends within a time. If it fails before that, this fails too. The timer keeps the process alive. */
export async function endsWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), Math.min(TIMER_MS_MAX, Math.max(0, ms)));
  });
  try {
    return await Promise.race([work.then(() => true as const), late]);
  } finally {
    clearTimeout(timer);
    // Nobody waits for it any more; the run itself records a later failure.
    work.catch(() => undefined);
  }
}

/** Resumes a run that should be executing although no process drives it; returns whether it was one. */
export async function resumeAbandoned(engine: Engine, run: string): Promise<boolean> {
  const loaded = await engine.store.load(run);
  const isAbandoned = isUndriven(loaded) && statusOf(loaded.state) === 'running';
  if (isAbandoned) await resume(engine, loaded);
  return isAbandoned;
}

/** Waits for a commit of any process, for a time, or for a signal. */
function changeOrTime(store: Store, at: number, stopped: Promise<void> | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      unfollow();
      resolve();
    };
    const timer = setTimeout(done, Math.max(0, at - Date.now()));
    const unfollow = store.follow(done);
    stopped?.then(done, done);
  });
}

async function resume(engine: Engine, { state }: Pick<TreeRun, 'state'>): Promise<void> {
  try {
    await engine.run(state.id).resume();
  } catch (error) {
    // Another process was quicker.
    if (!isEngineError(error) || !['RUN_LOCKED', 'RUN_FINAL'].includes(error.code)) throw error;
  }
}

async function shouldResume(store: Store, run: TreeRun): Promise<boolean> {
  if (!isUndriven(run)) return false;
  const { state } = run;
  const due = dueOf(state);
  return statusOf(state) === 'running' || (due !== undefined && due <= Date.now()) || (await store.inbox(state.id, 0)).length > 0;
}

/** Whether a run may be driven and nobody drives it. */
function isUndriven({ state, owner }: Pick<TreeRun, 'state' | 'owner'>): boolean {
  return !state.paused && !isSettled(state.status) && (owner === undefined || isDead(owner));
}
