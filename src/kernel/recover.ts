// Owns what happens to work that a crash interrupted. An attempt that was running and has no recorded end is unknown:
// it runs again if its kind or author allows that, otherwise a person decides. Waits are never unknown.

import { writtenDatabase } from '../definition/database.ts';
import { type ActivationIn, visitOf } from './activation.ts';
import { started, working } from './open.ts';
import { conclude, startQueued } from './settle.ts';
import type { Turn } from './turn.ts';

const RECOVERIES_MAX = 3;

/** A new owner took the run over. */
export function onRecovered(turn: Turn): void {
  for (const path of Object.keys(turn.run.live)) {
    const activation = turn.run.live[path];
    if (activation?.state === 'running') recoverAttempt(turn, activation);
  }
  startHeldBack(turn);
}

/** Starts work that was held back while nothing new was allowed to start. */
export function startHeldBack(turn: Turn): void {
  for (const path of Object.keys(turn.run.live)) {
    const activation = turn.run.live[path];
    if (activation?.state !== 'queued' || activation.slots !== undefined || turn.holdsBack(turn.model(activation))) continue;
    startQueued(turn, path);
  }
  for (const path of Object.keys(turn.run.groups)) turn.later({ do: 'advance', path });
}

function recoverAttempt(turn: Turn, activation: ActivationIn<'running'>): void {
  const { recovery } = turn.model(activation);
  if (recovery === 'rerun' || activation.kind === 'delay' || activation.handsOut === true) return rerun(turn, activation);
  const { startedAt, slots } = activation;
  // A step that writes to a database is looked up there first; without a record there, the step's policy decides.
  const isLookedUp = recovery === 'reconcile' || writtenDatabase(turn.view.kinds, turn.model(activation)) !== undefined;
  if (isLookedUp) turn.change({ ...visitOf(activation), state: 'reconciling', startedAt, slots });
  else leaveUnknown(turn, activation);
}

/** Leaves it to a person to say what happened. That may take days, so its semaphores are released. */
export function leaveUnknown(turn: Turn, activation: ActivationIn<'running' | 'reconciling'>): void {
  turn.change({ ...visitOf(activation), state: 'unknown', startedAt: activation.startedAt });
}

/** Runs an interrupted attempt again under the same key, at most three times. */
export function rerun(turn: Turn, activation: ActivationIn<'running' | 'reconciling' | 'unknown'>): void {
  if ((activation.recovery ?? 0) >= RECOVERIES_MAX) {
    const message = `attempt ${activation.attempt} of "${activation.step}" was interrupted ${RECOVERIES_MAX + 1} times; something in it may be stopping the engine`;
    const error = { code: 'STEP_FAILED', message, reason: 'contract' as const, retryable: false };
    return conclude(turn, activation.path, { outcome: 'error', error });
  }
  const visit = { ...visitOf(activation), recovery: (activation.recovery ?? 0) + 1 };
  // An attempt that a person sends back has released its semaphores and queues for them again.
  if (activation.state === 'unknown') return turn.change(started(turn, visit));
  const running = working(turn, visit, activation.slots);
  turn.change(activation.state === 'running' && activation.until !== undefined ? { ...running, until: activation.until } : running);
}
