// Owns agents that are code of this process: how long their answer is waited for, and what it has to be. Code cannot be
// ended from outside; it is told to stop through its signal, and what it brings later is dropped.

import { messageOf } from '../base/error.ts';
import { toPlain } from '../base/json.ts';
import type { AgentAnswer, AgentRequest } from './driver.ts';

const TIMER_MAX_MS = 2 ** 31 - 1;

/** Asks code for an answer, within the attempt's signal and time. What it throws is a crash. */
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

// Ends the asking at the attempt's signal or its time limit, and with it every move that is not made yet.
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

// Code may give anything: what it gives is held to what any driver must give.
function plainAnswer(answer: AgentAnswer): AgentAnswer {
  if (answer?.kind === 'failed' || answer?.kind === 'asks') return answer;
  if (answer?.kind !== 'answered') return { kind: 'failed', failure: 'invalid-output', message: 'the agent gave no answer' };
  try {
    return { ...answer, output: toPlain(answer.output, 'the output of the agent') };
  } catch (thrown) {
    return { kind: 'failed', failure: 'invalid-output', message: messageOf(thrown) };
  }
}
