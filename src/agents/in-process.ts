// Owns agents that are code of this process: how long to wait for their answer, and its validation. Code cannot be
// ended from outside: it is asked to stop through its signal, and a late answer is dropped.

import { messageOf } from '../base/error.ts';
import { toPlain } from '../base/json.ts';
import type { AgentAnswer, AgentRequest } from './driver.ts';

const TIMER_MAX_MS = 2 ** 31 - 1;

/** Runs code within the attempt's signal and time limit. A thrown error is a crash. */
export async function askCode(request: AgentRequest, answer: (request: AgentRequest) => Promise<AgentAnswer>): Promise<AgentAnswer> {
  const stop = stopOf(request);
  try {
    if (request.signal.aborted) return aborted();
    return await Promise.race([stop.promise, answer({ ...request, signal: stop.signal }).then(plainAnswer)]);
  } catch (thrown) {
    return { kind: 'failed', failure: 'crash', message: messageOf(thrown) };
  } finally {
    stop.clear();
  }
}

/** The answer of an attempt that was stopped. */
export function aborted(): AgentAnswer {
  return { kind: 'failed', failure: 'aborted', message: 'the attempt was stopped' };
}

interface Stop {
  readonly promise: Promise<AgentAnswer>;
  readonly signal: AbortSignal;
  clear(): void;
}

// Ends the attempt at its signal or time limit, and with it all remaining moves.
function stopOf({ signal, timeoutMs }: AgentRequest): Stop {
  const { promise, resolve: settle } = Promise.withResolvers<AgentAnswer>();
  const moves = new AbortController();
  const onAbort = (): void => settle(aborted());
  const onTimeout = (): void => settle({ kind: 'failed', failure: 'timeout', message: `the agent took longer than ${timeoutMs} ms` });
  signal.addEventListener('abort', onAbort, { once: true });
  const timer = timeoutMs === undefined ? undefined : setTimeout(onTimeout, Math.min(timeoutMs, TIMER_MAX_MS));
  const clear = (): void => {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    moves.abort();
  };
  return { promise, signal: moves.signal, clear };
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
