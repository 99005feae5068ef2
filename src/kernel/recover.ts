// Owns what happens to work that a crash cut off. An attempt that was running and has no recorded end is unknown:
// it runs again where its kind or author says so, and otherwise a person decides. Waits are never unknown.

import { type Reconciling, type Running, type Unknown, visitOf } from './activation.ts';
import { started, working } from './open.ts';
import { conclude, startQueued } from './settle.ts';
import type { Turn } from './turn.ts';

const RECOVERIES_MAX = 3;

/** A new owner took the run over. */
export function takeRecovery(turn: Turn): void {
  for (const path of Object.keys(turn.run.live)) {
    const activation = turn.activation(path);
    if (activation?.state === 'running') recoverAttempt(turn, activation);
  }
  wake(turn);
}

/** Starts what was held back while nothing new was allowed to. */
export function wake(turn: Turn): void {
  if (turn.holds) return;
  for (const path of Object.keys(turn.run.live)) {
    const activation = turn.activation(path);
    if (activation?.state === 'queued' && activation.slots === undefined) startQueued(turn, path);
  }
  for (const path of Object.keys(turn.run.groups)) turn.later({ do: 'advance', path });
}

function recoverAttempt(turn: Turn, activation: Running): void {
  const { recovery } = turn.model(activation);
  if (recovery === 'rerun' || activation.kind === 'delay' || activation.handsOut === true) return rerun(turn, activation);
  const { startedAt, slots } = activation;
  // A person may take days to say what happened; meanwhile others work in its place.
  if (recovery === 'reconcile') turn.change({ ...visitOf(activation), state: 'reconciling', startedAt, slots });
  else turn.change({ ...visitOf(activation), state: 'unknown', startedAt });
}

/** Runs an interrupted attempt again under the same key, at most three times. */
export function rerun(turn: Turn, activation: Running | Reconciling | Unknown): void {
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
