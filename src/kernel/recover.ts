// Owns what happens to work that a crash cut off. An attempt that was running and has no recorded end is unknown:
// it runs again where its kind or author says so, and otherwise a person decides. Waits are never unknown.

import { writtenDatabase } from '../definition/database.ts';
import { type InState, visitOf } from './activation.ts';
import { started, working } from './open.ts';
import { conclude, startQueued } from './settle.ts';
import type { Turn } from './turn.ts';

const RECOVERIES_MAX = 3;

/** A new owner took the run over. */
export function takeRecovery(turn: Turn): void {
  for (const path of Object.keys(turn.run.live)) {
    const activation = turn.run.live[path];
    if (activation?.state === 'running') recoverAttempt(turn, activation);
  }
  wake(turn);
}

/** Starts what was held back while nothing new was allowed to. */
export function wake(turn: Turn): void {
  for (const path of Object.keys(turn.run.live)) {
    const activation = turn.run.live[path];
    if (activation?.state !== 'queued' || activation.slots !== undefined || turn.holdsBack(turn.model(activation))) continue;
    startQueued(turn, path);
  }
  for (const path of Object.keys(turn.run.groups)) turn.later({ do: 'advance', path });
}

function recoverAttempt(turn: Turn, activation: InState<'running'>): void {
  const { recovery } = turn.model(activation);
  if (recovery === 'rerun' || activation.kind === 'delay' || activation.handsOut === true) return rerun(turn, activation);
  const { startedAt, slots } = activation;
  // Whether a database has the record of the step is looked up first; without one, the policy of the step decides.
  const isLookedUp = recovery === 'reconcile' || writtenDatabase(turn.view.kinds, turn.model(activation)) !== undefined;
  if (isLookedUp) turn.change({ ...visitOf(activation), state: 'reconciling', startedAt, slots });
  else leaveUnknown(turn, activation);
}

/** Leaves it to a person to say what happened. That may take days; meanwhile others work in its place. */
export function leaveUnknown(turn: Turn, activation: InState<'running' | 'reconciling'>): void {
  turn.change({ ...visitOf(activation), state: 'unknown', startedAt: activation.startedAt });
}

/** Runs an interrupted attempt again under the same key, at most three times. */
export function rerun(turn: Turn, activation: InState<'running' | 'reconciling' | 'unknown'>): void {
  if (activation.recovery >= RECOVERIES_MAX) {
    const message = `attempt ${activation.attempt} of "${activation.step}" was interrupted ${RECOVERIES_MAX + 1} times; something in it may be stopping the engine`;
    const error = { code: 'STEP_FAILED', message, reason: 'contract' as const, retryable: false };
    return conclude(turn, activation.path, { outcome: 'error', error });
  }
  const visit = { ...visitOf(activation), recovery: activation.recovery + 1 };
  // What a person sends back holds no semaphores any more, and stands in the queue for them.
  if (activation.state === 'unknown') return turn.change(started(turn, visit));
  const running = working(turn, visit, activation.slots);
  turn.change(activation.state === 'running' && activation.until !== undefined ? { ...running, until: activation.until } : running);
}
