// Owns the process of an agent's program, for every driver that starts one: its output lines, three watchdogs, and its end,
// after which no process is running.
//
// - Silence, the time limit, and running on after the answer each end the program, each with a different reason.
// - Once there is an answer, it counts however the program ends.
// - An error in the listener ends the program, and the attempt fails with that error.

import { randomUUID } from 'node:crypto';
import { messageOf } from '../base/error.ts';
import { omitUndefined } from '../base/fields.ts';
import { type CommandInput, type ProcessSpec, runCommand } from '../process/command.ts';
import { INHERITED_VARIABLES } from '../process/environment.ts';
import type { AgentAnswer, AgentFailure, AgentRequest } from './driver.ts';

/** A program to run. */
interface ProgramCall {
  readonly argv: readonly string[];
  readonly request: AgentRequest;
  /** Environment variables for this program, which override those of the request. */
  readonly env?: Readonly<Record<string, string>>;
  /** Our environment variables that this program needs beyond the usual ones, such as its login. */
  readonly inherits?: readonly string[];
  /** Text for the standard input. Empty by default. */
  readonly stdin?: string;
  /** Instead of `stdin`: called with the standard input once the program runs; must end it. */
  readonly onStart?: (stdin: CommandInput) => void;
  /** Called for each line of the standard output. `answered` reports that the answer is there and the program should end. */
  readonly onLine: (line: string, answered: () => void) => void;
}

/** How a program ended. `answered`: it had an answer, whatever came after. */
export type ProgramEnd =
  | { readonly kind: 'answered' }
  | { readonly kind: 'exited'; readonly exitCode: number; readonly stdout: string; readonly stderr: string }
  | { readonly kind: 'failed'; readonly answer: AgentAnswer & { readonly kind: 'failed' } };

/** The form of the ids of sessions and threads. Anything else never reaches a command line. */
export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const IDLE_MS = 600_000;
const LINGER_MS = 5000;
const LINE_MAX = 64 << 20;

/** Runs a program until it ends or a watchdog ends it. */
export async function runProgram(call: ProgramCall): Promise<ProgramEnd> {
  const watch = new ProgramWatch(call.request);
  const lines = new Lines((line) => call.onLine(line, () => watch.answered()));
  const result = await runCommand({
    ...specOf(call),
    signal: watch.signal,
    onOutput: (stream, text) => {
      watch.refresh();
      if (stream === 'stdout') watch.guard(() => lines.push(text));
    },
  });
  watch.guard(() => lines.end());
  watch.clear();
  if (watch.listenerError !== undefined)
    return failed('crash', `the agent's output could not be processed: ${messageOf(watch.listenerError)}`);
  if (watch.isAnswered) return { kind: 'answered' };
  if (result.kind === 'exited') {
    // The failure quotes only the end of this output.
    if (result.stderr.trim() !== '') call.request.onEvent?.({ kind: 'notice', text: result.stderr });
    return { kind: 'exited', exitCode: result.exitCode, stdout: result.stdout, stderr: result.stderr };
  }
  if (result.kind === 'not-run') return failed('crash', `${result.message}. Is it installed, and on the PATH?`);
  if (result.kind === 'timeout') return failed('timeout', `the agent took longer than ${call.request.timeoutMs} ms`);
  return failed(
    watch.isIdle ? 'timeout' : 'aborted',
    watch.isIdle ? `the agent was silent for ${watch.idleMs} ms` : 'the attempt was stopped',
  );
}

function failed(failure: AgentFailure, message: string): ProgramEnd {
  return { kind: 'failed', answer: { kind: 'failed', failure, message } };
}

/** Ends a program that is silent for too long, runs on after its answer, or whose attempt is stopped. */
class ProgramWatch {
  readonly idleMs: number;
  isAnswered = false;
  isIdle = false;
  listenerError: unknown;
  private readonly request: AgentRequest;
  private readonly stop = new AbortController();
  private readonly onAbort = (): void => this.stop.abort();
  private timer: NodeJS.Timeout;

  constructor(request: AgentRequest) {
    this.request = request;
    this.idleMs = request.watchdogs?.idleMs ?? IDLE_MS;
    if (request.signal.aborted) this.stop.abort();
    request.signal.addEventListener('abort', this.onAbort, { once: true });
    this.timer = this.idleTimer();
  }

  get signal(): AbortSignal {
    return this.stop.signal;
  }

  private idleTimer(): NodeJS.Timeout {
    return setTimeout(() => {
      this.isIdle = true;
      this.stop.abort();
    }, this.idleMs);
  }

  // Called from a stream, where an error would crash this process.
  guard(listener: () => void): void {
    if (this.listenerError !== undefined) return;
    try {
      listener();
    } catch (thrown) {
      this.listenerError = thrown ?? new Error('nothing was thrown');
      this.stop.abort();
    }
  }

  /** Restarts the timer for silence. */
  refresh(): void {
    if (!this.isAnswered) this.timer.refresh();
  }

  answered(): void {
    // Output of a program that is being ended is not an answer.
    if (this.isAnswered || this.isIdle) return;
    this.isAnswered = true;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.stop.abort(), this.request.watchdogs?.lingerMs ?? LINGER_MS);
  }

  clear(): void {
    clearTimeout(this.timer);
    this.request.signal.removeEventListener('abort', this.onAbort);
  }
}

/** Splits output into lines. One that is too long ends the program, because a part of a message cannot be parsed. */
class Lines {
  /** The pieces of the line that has not ended yet. Joining them with every piece would take quadratic time. */
  private pieces: string[] = [];
  private length = 0;
  private readonly onLine: (line: string) => void;

  constructor(onLine: (line: string) => void) {
    this.onLine = onLine;
  }

  push(text: string): void {
    const [first = '', ...more] = text.split('\n');
    this.add(first);
    for (const line of more) {
      this.flush();
      this.add(line);
    }
    if (this.length > LINE_MAX) throw new Error(`a line of it is longer than ${LINE_MAX} characters`);
  }

  end(): void {
    if (this.length > 0) this.flush();
  }

  private add(piece: string): void {
    if (piece !== '') this.pieces.push(piece);
    this.length += piece.length;
  }

  private flush(): void {
    const line = this.pieces.join('');
    this.pieces = [];
    this.length = 0;
    this.onLine(line);
  }
}

function specOf({ argv, request, env, inherits, stdin, onStart }: ProgramCall): ProcessSpec {
  const { cwd, timeoutMs, pidDir, redactor, fence, inheritEnv, idempotencyKey } = request;
  return {
    argv,
    cwd,
    // A rerun after a crash has the same key, but the marks must differ, or the two would end each other's processes.
    mark: `${idempotencyKey}/${randomUUID()}`,
    // Tells processes of the agent which run they belong to.
    env: { ...request.env, PAWL_RUN: request.runId, ...env },
    ...(inheritEnv === undefined && inherits === undefined
      ? {}
      : { inheritEnv: [...(inheritEnv ?? INHERITED_VARIABLES), ...(inherits ?? [])] }),
    ...omitUndefined({ timeoutMs, pidDir, redactor, fence, stdin, onStart }),
  };
}
