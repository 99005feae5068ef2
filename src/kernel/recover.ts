// Owns what happens to work that a crash cut off. An attempt that was running and has no recorded end is unknown:
// it runs again where its kind or author says so, and otherwise a person decides. Waits are never unknown.

import { advanceGroup } from './group.ts';
import { started, working } from './open.ts';
import type { Activation } from './run-state.ts';
import { conclude, difference, startQueued } from './settle.ts';
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
    if (activation?.state !== 'queued' || activation.slots !== undefined) continue;
    startQueued(turn, path);
  }
  for (const path of Object.keys(turn.run.groups)) turn.later(() => advanceGroup(turn, path));
}

function recoverAttempt(turn: Turn, activation: Activation): void {
  const model = turn.model(activation);
  const { path } = activation;
  if (model.recovery === 'rerun' || activation.kind === 'delay' || activation.handsOut === true) return rerun(turn, activation);
  const { due: _, ...rest } = activation;
  // A person may take days to say what happened; meanwhile others work in its place.
  const { slots: __, ...unslotted } = rest;
  const after: Activation = model.recovery === 'reconcile' ? { ...rest, state: 'verifying' } : { ...unslotted, state: 'unknown' };
  turn.emit({ type: 'step.changed', at: turn.at, path, set: difference(activation, after) });
}

/** Runs an interrupted attempt again under the same key, at most three times. */
export function rerun(turn: Turn, activation: Activation): void {
  if (activation.recovery >= RECOVERIES_MAX) {
    const message = `attempt ${activation.attempt} of "${activation.step}" was interrupted ${RECOVERIES_MAX + 1} times; something in it may be stopping the engine`;
    return conclude(turn, activation.path, {
      outcome: 'error',
      error: { code: 'STEP_FAILED', message, reason: 'contract', retryable: false },
    });
  }
  const model = turn.model(activation);
  const again = { ...activation, recovery: activation.recovery + 1 };
  // What a person sends back has no semaphores any more, and stands in the queue for them.
  const after: Activation = {
    ...(activation.state === 'unknown' ? started(turn, again, model) : working(turn, again, model)),
    ...(activation.kind === 'delay' && activation.wait !== undefined ? { wait: activation.wait } : {}),
  };
  turn.emit({ type: 'step.changed', at: turn.at, path: activation.path, set: difference(activation, after) });
}
