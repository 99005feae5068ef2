// Makes a delivery wait while the forge is unavailable.

import { EngineError } from '../../base/error.ts';
import { type ForgeAnswer, retryHintOf } from '../../forge/forge.ts';

/** The forge did not answer; the delivery waits. */
export class ForgeUnavailable extends Error {
  private readonly until: number | undefined;

  constructor(message: string, until: number | undefined) {
    super(message);
    this.until = until;
  }

  retryTime(now: number): { readonly at: number; readonly reason: string } {
    return { at: Math.max(this.until ?? 0, now + RETRY_MS), reason: this.message };
  }
}

/** How long a delivery waits for a forge that names no time. */
const RETRY_MS = 30_000;

/** Throws `ForgeUnavailable` if the request failed but may succeed later. */
export function assertAvailable(answer: ForgeAnswer<unknown>): void {
  const { isTransient, until } = retryHintOf(answer);
  if (answer.result !== 'ok' && isTransient) throw new ForgeUnavailable(`the forge does not answer: ${answer.message}`, until);
}

/** The value of an answer. Throws `ForgeUnavailable` if the request may succeed later. */
export function valueIn<T>(answer: ForgeAnswer<T>): T {
  assertAvailable(answer);
  if (answer.result === 'ok') return answer.value;
  throw new EngineError('STEP_FAILED', `the forge rejected the request: ${answer.message}`);
}
