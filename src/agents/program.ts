// Owns the life of a program that an agent lives in, for every driver that starts one: its lines as they come, three
// watchdogs, and nothing of it left running afterwards.
//
// A1. Silence, the time limit and a program that goes on after its answer end it, each by a name of its own.
// A2. Once the answer is there, how the program ends does not take it away.
// A3. An error in whoever listens ends the program, and is the failure of the attempt.

import { randomUUID } from 'node:crypto';
import { messageOf } from '../base/error.ts';
import { type CommandInput, type CommandSpec, runCommand } from '../process/command.ts';
import { INHERITED_VARIABLES } from '../process/environment.ts';
import type { AgentAnswer, AgentFailure, AgentRequest } from './driver.ts';

/** A program to talk with. */
export interface ProgramCall {
  readonly argv: readonly string[];
  readonly request: AgentRequest;
  /** Variables for this program, over those of the request. */
  readonly env?: Readonly<Record<string, string>>;
  /** Our own variables that this program needs beside the usual ones, such as its login. */
  readonly inherits?: readonly string[];
  /** Is given the standard input; without it, the input is empty. */
  readonly talk?: (stdin: CommandInput) => void;
  /** Each line of the standard output. `answered` says that the answer is there: the program is to end now. */
  readonly onLine: (line: string, answered: () => void) => void;
}

/** How a program ended. `answered`: it had said so, whatever came after. */
export type ProgramEnd =
  | { readonly kind: 'answered' }
  | { readonly kind: 'exited'; readonly exitCode: number; readonly stdout: string; readonly stderr: string }
  | { readonly kind: 'failed'; readonly answer: AgentAnswer & { readonly kind: 'failed' } };

const IDLE_MS = 600_000;
const LINGER_MS = 5000;
const LINE_MAX = 16 << 20;

/** Runs a program to its end, or to the end that a watchdog makes. */
export async function runProgram(call: ProgramCall): Promise<ProgramEnd> {
  const watch = new Watch(call.request);
  const lines = new Lines((line) => watch.listening(() => call.onLine(line, () => watch.answered())));
  const result = await runCommand({
    ...specOf(call),
    signal: watch.signal,
    onOutput: (stream, text) => {
      watch.heard();
      if (stream === 'stdout') lines.push(text);
    },
  });
  lines.end();
  watch.clear();
  if (watch.broken !== undefined) return failed('crash', `what the agent said could not be taken: ${messageOf(watch.broken)}`);
  if (watch.isAnswered) return { kind: 'answered' };
  if (result.kind === 'exited') return { kind: 'exited', exitCode: result.exitCode, stdout: result.stdout, stderr: result.stderr };
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

/** Ends a program that is silent for too long, that goes on after its answer, or whose attempt is stopped. */
class Watch {
  readonly idleMs: number;
  isAnswered = false;
  isIdle = false;
  broken: unknown;
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

  // Called from a stream, where an error would end our own process.
  listening(listen: () => void): void {
    if (this.broken !== undefined) return;
    try {
      listen();
    } catch (thrown) {
      this.broken = thrown ?? new Error('nothing was thrown');
      this.stop.abort();
    }
  }

  heard(): void {
    if (!this.isAnswered) this.timer.refresh();
  }

  answered(): void {
    // What a program says when it is ended is no answer any more.
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

/** Cuts output into lines; one that never ends is given in pieces rather than kept. */
class Lines {
  private rest = '';
  private readonly take: (line: string) => void;

  constructor(take: (line: string) => void) {
    this.take = take;
  }

  push(text: string): void {
    const lines = (this.rest + text).split('\n');
    this.rest = lines.pop() as string;
    for (const line of lines) this.take(line);
    if (this.rest.length > LINE_MAX) this.end();
  }

  end(): void {
    if (this.rest !== '') this.take(this.rest);
    this.rest = '';
  }
}

function specOf({ argv, request, env, inherits, talk }: ProgramCall): CommandSpec {
  const { cwd, timeoutMs, pidDir, redactor, inheritEnv, idempotencyKey } = request;
  return {
    argv,
    cwd,
    // A re-run after a crash has the same key; the mark must differ all the same, or the two would end each other.
    mark: `${idempotencyKey}/${randomUUID()}`,
    // What runs inside of an agent can tell which run it belongs to.
    env: { ...request.env, PAWL_RUN: request.runId, ...env },
    ...(inheritEnv === undefined && inherits === undefined
      ? {}
      : { inheritEnv: [...(inheritEnv ?? INHERITED_VARIABLES), ...(inherits ?? [])] }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(pidDir === undefined ? {} : { pidDir }),
    ...(redactor === undefined ? {} : { redactor }),
    ...(talk === undefined ? {} : { talk }),
  };
}
