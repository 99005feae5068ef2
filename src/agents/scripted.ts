// Owns the driver `scripted`: an agent whose moves are written down beforehand, for tests and the demo. It can do the
// work, claim it without doing it, hang, and fail in every class, without a model or a network.

import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import { messageOf } from '../base/error.ts';
import { type Json, toPlain } from '../base/json.ts';
import type { AgentAnswer, AgentDriver, AgentFailure, AgentRequest, AgentUsage } from './driver.ts';

/** One thing that a scripted agent does. Moves after an answer or a failure are not made. */
export type ScriptedMove =
  /** Writes a file of the workspace. */
  | { readonly do: 'write'; readonly path: string; readonly text: string }
  /** Does nothing until the attempt is stopped or its time runs out. */
  | { readonly do: 'hang' }
  | { readonly do: 'fail'; readonly failure: AgentFailure; readonly message?: string; readonly resumeAt?: number }
  | {
      readonly do: 'answer';
      readonly output?: Json;
      readonly success?: boolean;
      readonly verdict?: 'approve' | 'reject';
      readonly message?: string;
      readonly usage?: AgentUsage;
      readonly session?: string;
    };

/** What a scripted agent does with a request. */
export type Script = (request: AgentRequest) => AgentAnswer | Promise<AgentAnswer> | readonly ScriptedMove[];

const TIMER_MAX_MS = 2 ** 31 - 1;

/** A driver that follows a script. Moves without an answer end in the claim that all is done. */
export function createScriptedDriver(script: Script): AgentDriver {
  return {
    name: 'scripted',
    async ask(request) {
      const stop = stopOf(request);
      try {
        if (request.signal.aborted) return aborted();
        return await Promise.race([stop.promise, follow(script, request, stop.signal)]);
      } catch (thrown) {
        return { kind: 'failed', failure: 'crash', message: messageOf(thrown) };
      } finally {
        stop.clear();
      }
    },
  };
}

function aborted(): AgentAnswer {
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

async function follow(script: Script, request: AgentRequest, signal: AbortSignal): Promise<AgentAnswer> {
  const written = await script({ ...request, signal });
  const answer = Array.isArray(written) ? await makeMoves(written as readonly ScriptedMove[], request, signal) : (written as AgentAnswer);
  return plainAnswer(answer);
}

async function makeMoves(moves: readonly ScriptedMove[], request: AgentRequest, signal: AbortSignal): Promise<AgentAnswer> {
  for (const move of moves) {
    if (signal.aborted) return aborted();
    if (move.do === 'write') await write(request.cwd, move.path, move.text);
    else if (move.do === 'hang') await untilAborted(signal);
    else if (move.do === 'fail') return failure(move);
    else return answered(move);
  }
  return signal.aborted ? aborted() : answered({ do: 'answer' });
}

async function write(cwd: string, path: string, text: string): Promise<void> {
  const target = resolve(cwd, path);
  const way = relative(cwd, target);
  if (isAbsolute(path) || way === '..' || way.startsWith(`..${sep}`)) throw new Error(`the script writes "${path}", outside the workspace`);
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, text);
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolvePromise) => {
    if (signal.aborted) resolvePromise();
    else signal.addEventListener('abort', () => resolvePromise(), { once: true });
  });
}

function failure(move: ScriptedMove & { readonly do: 'fail' }): AgentAnswer {
  const { do: _, message = `the script fails with "${move.failure}"`, ...rest } = move;
  return { kind: 'failed', message, ...rest };
}

function answered(move: ScriptedMove & { readonly do: 'answer' }): AgentAnswer {
  const { do: _, success = true, output = null, ...rest } = move;
  return { kind: 'answered', success, output, ...rest };
}

// A script is code: what it gives is held to what any driver must give.
function plainAnswer(answer: AgentAnswer): AgentAnswer {
  if (answer?.kind === 'failed' || answer?.kind === 'asks') return answer;
  if (answer?.kind !== 'answered') return { kind: 'failed', failure: 'invalid-output', message: 'the script gave no answer' };
  try {
    return { ...answer, output: toPlain(answer.output, 'the output of the agent') };
  } catch (thrown) {
    return { kind: 'failed', failure: 'invalid-output', message: messageOf(thrown) };
  }
}
