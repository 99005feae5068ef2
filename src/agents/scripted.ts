// Owns the driver `scripted`: an agent whose moves are written in advance, for tests and the demo. It can do work, claim
// work that it did not do, hang, and fail in every class, without a model or a network.

import { dirname, isAbsolute, join, resolve, sep } from 'node:path';
import type { Json } from '../base/json.ts';
import type { AssumptionInput } from '../definition/question/assumption.ts';
import type { AgentAnswer, AgentDriver, AgentFailure, AgentRequest, AgentUsage } from './driver.ts';
import { aborted, askCode } from './in-process.ts';

/** One move of a scripted agent. Moves after an answer or a failure are ignored. */
export type ScriptedMove =
  /** Writes a file of the workspace. */
  | { readonly do: 'write'; readonly path: string; readonly text: string }
  /** Does nothing until the attempt is stopped or times out. */
  | { readonly do: 'hang' }
  | { readonly do: 'fail'; readonly failure: AgentFailure; readonly message?: string; readonly resumeAt?: number }
  | {
      readonly do: 'answer';
      readonly output?: Json;
      readonly success?: boolean;
      readonly verdict?: 'approve' | 'reject';
      readonly message?: string;
      readonly assumptions?: readonly AssumptionInput[];
      readonly usage?: AgentUsage;
      readonly session?: string;
    };

/** Returns the moves of a scripted agent for a request. */
export type Script = (request: AgentRequest) => ScriptResult | Promise<ScriptResult>;

/** The result of a script: an answer, or moves to make. */
export type ScriptResult = AgentAnswer | readonly ScriptedMove[];

/** Creates a driver that follows a script. Moves without an answer end with a claim of success. */
export function createScriptedDriver(script: Script): AgentDriver {
  return {
    name: 'scripted',
    ask: (request) => askCode(request, (own) => follow(script, own)),
  };
}

async function follow(script: Script, request: AgentRequest): Promise<AgentAnswer> {
  const result = await script(request);
  return 'kind' in result ? result : makeMoves(result, request);
}

async function makeMoves(moves: readonly ScriptedMove[], { cwd, signal }: AgentRequest): Promise<AgentAnswer> {
  for (const move of moves) {
    if (signal.aborted) return aborted();
    if (move.do === 'write') await write(cwd, move.path, move.text);
    else if (move.do === 'hang') await untilAborted(signal);
    else if (move.do === 'fail') return failure(move);
    else return answered(move);
  }
  return signal.aborted ? aborted() : answered({ do: 'answer' });
}

async function write(cwd: string, path: string, text: string): Promise<void> {
  const target = resolve(cwd, path);
  if (isAbsolute(path) || (target !== resolve(cwd) && !target.startsWith(join(resolve(cwd), sep))))
    throw new Error(`the script would write "${path}", which is outside the workspace`);
  const { mkdir, writeFile } = await import('node:fs/promises');
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
  const { do: _, message = `the script failed with "${move.failure}"`, ...rest } = move;
  return { kind: 'failed', message, ...rest };
}

function answered(move: ScriptedMove & { readonly do: 'answer' }): AgentAnswer {
  const { do: _, success = true, output = null, ...rest } = move;
  return { kind: 'answered', success, output, ...rest };
}
