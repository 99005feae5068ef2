// Starts a program for an attempt: in the workspace, with the declared environment and its own process mark, masked
// output, and ended with the attempt. Values of the run are passed as variables or on its input, never as part of the
// command.

import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { omitUndefined } from '../../base/fields.ts';
import { jsonText } from '../../base/json.ts';
import type { ProgramModel } from '../../definition/program.ts';
import { paramVariables, variableText } from '../../definition/scope/param-variables.ts';
import { type ProcessResult, runCommand } from '../../process/command.ts';
import type { NetworkFence } from '../../process/network.ts';
import type { CommandStartFailure } from '../../process/not-run.ts';
import { BoundedOutput } from '../../process/output.ts';
import type { AttemptRequest } from '../attempt.ts';
import { keyOf } from '../context.ts';
import type { ProgramSetting } from '../services.ts';
import type { Runner } from '../work.ts';
import { locateInWorkspace } from '../workspace/workspace-path.ts';
import { openCredentials } from './credentials.ts';

/** A program to start. */
export interface Program extends ProgramSetting {
  readonly stdin?: string;
  readonly outputMax?: number;
  /** Its exit code is a verdict, so the failure of any program in a pipe counts. */
  readonly pipefail?: boolean;
  /** Limits its network access. */
  readonly fence?: NetworkFence;
}

const KEPT_BYTES = 65_536;
const TAIL_CHARACTERS = 2000;

/** Runs a program for an attempt. */
export async function runProgram(runner: Runner, request: AttemptRequest, program: Program): Promise<ProcessResult> {
  const { services, redactor } = runner;
  const { run, argv, cwd, env, stdin, timeoutMs, outputMax, fence, pipefail = false } = program;
  const outside = cwd === undefined ? undefined : await outsideOf(services.cwd, cwd);
  if (outside !== undefined) return outside;
  const { runId, activation } = request;
  const credentials = openCredentials(services);
  const sink = services.openOutput?.({ run: runId, path: activation.path, attempt: activation.attempt });
  const running = runCommand({
    ...(argv === undefined ? { shell: run ?? '', pipefail } : { argv }),
    cwd: resolve(services.cwd, cwd ?? '.'),
    env: { ...credentials.env, ...services.env, ...env, ...attemptVariables(request) },
    // A rerun after a crash has the same key. The mark must differ, because a program ends others with its mark.
    mark: `${keyOf(request)}/${randomUUID()}`,
    signal: request.signal,
    ...omitUndefined({ inheritEnv: services.inheritEnv, stdin, timeoutMs, outputMax, pidDir: services.pidDir, redactor }),
    ...credentials.fence(fence),
    ...(sink === undefined ? {} : { onOutput: (_: unknown, text: string) => sink.push(text) }),
  });
  return await running.finally(() => sink?.close());
}

/** Rejects a working folder outside the workspace, because its files are not checked. */
async function outsideOf(workspace: string, cwd: string): Promise<CommandStartFailure | undefined> {
  if (!existsSync(workspace)) return undefined;
  const root = await realpath(workspace);
  const place = await locateInWorkspace(root, relative(workspace, resolve(workspace, cwd)));
  if (place.kind !== 'outside') return undefined;
  const message = `the working directory "${cwd}" is outside the workspace ${workspace}; use a folder inside it`;
  return { kind: 'not-run', reason: 'cwd-missing', message };
}

function attemptVariables(request: AttemptRequest): Record<string, string> {
  const { runId, bound, activation, params, item } = request;
  const text = item === undefined ? undefined : variableText(item);
  return {
    ...paramVariables(params),
    PAWL_RUN: runId,
    PAWL_STEP: bound.model.id,
    PAWL_ATTEMPT: String(activation.attempt),
    PAWL_KEY: keyOf(request),
    // An item that is too large for a variable is only on the standard input.
    ...omitUndefined({ PAWL_ITEM: text }),
  };
}

/** Converts a program of a definition: values of its environment become texts. */
export function programOf({ run, argv, env, cwd, timeoutMs }: ProgramModel & { readonly timeoutMs?: number }): Program {
  return {
    ...omitUndefined({ run, argv }),
    ...(env === undefined ? {} : { env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, jsonText(value)])) }),
    ...omitUndefined({ cwd, timeoutMs }),
  };
}

/** The name of a program in messages. */
export function programName({ run, argv }: ProgramSetting): string {
  return run ?? argv?.join(' ') ?? '';
}

/** The beginning and the end of a text, short enough for a record. */
export function keptText(text: string): string {
  if (text.length <= KEPT_BYTES / 4) return text;
  const kept = new BoundedOutput(KEPT_BYTES);
  kept.push(Buffer.from(text));
  return kept.text();
}

/** The end of a program's error stream, or of its output if that is empty, short enough for a message. */
export function outputTail({ stdout, stderr }: { readonly stdout: string; readonly stderr: string }): string {
  const text = (stderr.trim() === '' ? stdout : stderr).trim();
  return text.length <= TAIL_CHARACTERS ? text : `…${text.slice(-TAIL_CHARACTERS)}`;
}

/** Describes how a program ended: `exited with 3: no such table`. */
export function exitSentence(result: ProcessResult & { readonly kind: 'exited' }): string {
  const words = outputTail(result);
  const how = result.signal === null ? `exited with ${result.exitCode}` : `was killed by ${result.signal}`;
  return words === '' ? how : `${how}: ${words}`;
}
