// Calls agents that are code of this process: limits the wait for their answer, and validates it. Code cannot be ended
// from outside: its signal is aborted, and a late answer is dropped.

import { messageOf } from '../base/error.ts';
import { toPlain } from '../base/json.ts';
import { type AttemptFailure, failureOf } from './answer.ts';
import type { AgentAnswer, AgentRequest } from './driver.ts';

const TIMER_MAX_MS = 2 ** 31 - 1;

/** Runs code within the attempt's signal and time limit. A thrown error is a crash. */
export async function askCode(request: AgentRequest, answer: (request: AgentRequest) => Promise<AgentAnswer>): Promise<AgentAnswer> {
  const stop = openStop(request, { who: 'the agent' });
  try {
    if (request.signal.aborted) return aborted();
    const stopped = stop.reason.then((why) => failureOf(why, {}));
    return await Promise.race([stopped, answer({ ...request, signal: stop.signal }).then(plainAnswer)]);
  } catch (thrown) {
    return { kind: 'failed', failure: 'crash', message: messageOf(thrown) };
  } finally {
    stop.close();
  }
}

const ABORTED: AttemptFailure = { failure: 'aborted', message: 'the attempt was stopped' };

/** The answer of an attempt that was stopped. */
export function aborted(): AgentAnswer {
  return failureOf(ABORTED, {});
}

/** The limits of an attempt in this process: its signal, its time limit, and silence. */
export interface Stop {
  /** Aborted once the attempt is stopped or closed. */
  readonly signal: AbortSignal;
  /** Resolves when the attempt is stopped. */
  readonly reason: Promise<AttemptFailure>;
  /** Restarts the timer for silence. */
  refresh(): void;
  close(): void;
}

/** Starts the limits of an attempt; messages begin with `who`. Without `idleMs`, silence does not stop it. */
export function openStop({ signal, timeoutMs }: AgentRequest, { who, idleMs }: { readonly who: string; readonly idleMs?: number }): Stop {
  const controller = new AbortController();
  const { promise: reason, resolve } = Promise.withResolvers<AttemptFailure>();
  const stop = (why: AttemptFailure): void => {
    resolve(why);
    controller.abort();
  };
  const after = (ms: number | undefined, message: string): NodeJS.Timeout | undefined =>
    ms === undefined ? undefined : setTimeout(() => stop({ failure: 'timeout', message }), Math.min(ms, TIMER_MAX_MS));
  const onAbort = (): void => stop(ABORTED);
  signal.addEventListener('abort', onAbort, { once: true });
  const timeout = after(timeoutMs, `${who} took longer than ${timeoutMs} ms`);
  const idle = after(idleMs, `${who} was silent for ${idleMs} ms`);
  return {
    signal: controller.signal,
    reason,
    refresh: () => void idle?.refresh(),
    close: () => {
      clearTimeout(timeout);
      clearTimeout(idle);
      signal.removeEventListener('abort', onAbort);
      controller.abort();
    },
  };
}

// Code may return anything, so its answer is validated like that of any driver.
function plainAnswer(answer: AgentAnswer): AgentAnswer {
  if (answer?.kind === 'failed' || answer?.kind === 'asks') return answer;
  if (answer?.kind !== 'answered') return { kind: 'failed', failure: 'invalid-output', message: 'the agent returned no answer' };
  try {
    return { ...answer, output: toPlain(answer.output, 'the output of the agent') };
  } catch (thrown) {
    return { kind: 'failed', failure: 'invalid-output', message: messageOf(thrown) };
  }
}
