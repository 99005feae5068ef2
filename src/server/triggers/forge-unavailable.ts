// Owns how a delivery handler deals with an unavailable forge: the delivery waits.

import { EngineError } from '../../base/error.ts';
import { type ForgeAnswer, retryHintOf } from '../../forge/forge.ts';

/** The forge did not answer; the delivery waits. */
export class ForgeUnavailable extends Error {
  private readonly until: number | undefined;

  constructor(message: string, until: number | undefined) {
    super(message);
    this.until = until;
  }

  wait(now: number): { readonly at: number; readonly reason: string } {
    return { at: Math.max(this.until ?? 0, now + AWAY_MS), reason: this.message };
  }
}

/** How long a delivery waits for a forge that names no time. */
const AWAY_MS = 30_000;

/** The value of an answer. Throws `ForgeUnavailable` if the forge may answer later. */
export function valueIn<T>(answer: ForgeAnswer<T>): T {
  if (answer.result === 'ok') return answer.value;
  const { isTransient, until } = retryHintOf(answer);
  if (isTransient) throw new ForgeUnavailable(`the forge does not answer: ${answer.message}`, until);
  throw new EngineError('STEP_FAILED', `the forge rejects requests: ${answer.message}`);
}
