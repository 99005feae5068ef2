// Owns the life of one command: started in a session of its own with a mark, its output kept within bounds, ended
// at its timeout or on request, and nothing of it left running afterwards however it ended.
//
// P1. A command that could not be run is `not-run`: never a success, never a failure.
// P2. When the result is there, no process of the command is, except those that `left` names.
// P3. A process that holds the output open does not hold up the result.

import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import type { Readable } from 'node:stream';
import { messageOf } from '../base/error.ts';
import { invariant } from '../base/invariant.ts';
import { uptimeMs } from '../base/uptime.ts';
import { captureStream } from './capture.ts';
import { commandEnvironment } from './environment.ts';
import { identityOf } from './identity.ts';
import { checkWorkingDirectory, type NotRun, notRunByShell, notStarted, SHELL_NAME } from './not-run.ts';
import { removePidFile, writePidFile } from './pid-file.ts';
import { readProcess } from './process-table.ts';
import type { Redactor } from './redact.ts';
import { type KillResult, killTree } from './tree.ts';

/** What to run, and within which bounds. */
export interface CommandSpec {
  /** The program and its arguments, passed on untouched. Exactly one of `argv` and `shell` is given. */
  readonly argv: readonly string[] | undefined;
  /** A script for `sh -c`, passed on verbatim. */
  readonly shell?: string;
  readonly cwd?: string;
  /** Declared variables, added to the inherited ones. */
  readonly env?: Readonly<Record<string, string>>;
  /** Names of our variables that are let through, instead of the usual ones; a trailing `*` covers a prefix. */
  readonly inheritEnv?: readonly string[];
  /** Text for the standard input, which is empty otherwise. */
  readonly stdin?: string;
  /** Instead of `stdin`, for programs that are talked with: is given the standard input once the program runs, and ends it. */
  readonly talk?: (stdin: CommandInput) => void;
  /** Without it there is no limit; the longest is 24 days. */
  readonly timeoutMs?: number;
  /** How long processes have between SIGTERM and SIGKILL; 2 s by default. */
  readonly killGraceMs?: number;
  /** Bytes kept of each stream, half from its beginning and half from its end; 1 MiB by default. */
  readonly outputMax?: number;
  readonly signal?: AbortSignal;
  /** Unique to this command while it runs; inherited as PAWL_MARK by all that descends from it. */
  readonly mark: string;
  /** Where to keep a pid file, so that `sweepOrphans` finds the command after a crash of ours. */
  readonly pidDir?: string;
  /** Sees all output as it comes, in whole characters; must not throw. */
  readonly onOutput?: (stream: 'stdout' | 'stderr', text: string) => void;
  /** Masks secrets in the output before it is cut, kept or passed on. */
  readonly redactor?: Redactor;
}

/** The standard input of a command that is talked with. Writing to one that has ended is no error. */
export interface CommandInput {
  write(text: string): void;
  end(): void;
}

interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  /** How much was printed, kept or not. */
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
  readonly durationMs: number;
  /** Pids of processes that could not be ended (another user's, or stuck in the kernel). */
  readonly left: readonly number[];
}

/** How a command ended. */
export type CommandResult =
  | (Ended & {
      readonly kind: 'exited';
      /** As a shell would report it: 128 and the number of the signal when one ended the command. */
      readonly exitCode: number;
      readonly signal: string | null;
      /** How many processes it had left running in the background; they have been ended. */
      readonly leftBehind: number;
    })
  | (Ended & { readonly kind: 'timeout' | 'aborted' })
  | NotRun;

type Ending =
  | { readonly kind: 'exited'; readonly code: number | null; readonly signal: NodeJS.Signals | null }
  | { readonly kind: 'timeout' | 'aborted' };

interface Running {
  readonly child: ChildProcess & { readonly pid: number };
  readonly start: string;
  readonly startedMs: number;
  readonly stdout: ReturnType<typeof captureStream>;
  readonly stderr: ReturnType<typeof captureStream>;
  readonly closed: Promise<unknown>;
}

const OUTPUT_MAX = 1 << 20;
const TIMER_MAX_MS = 2 ** 31 - 1;
const CLOSE_GRACE_MS = 250;
const CLOSE_LIMIT_MS = 1000;
const OOM_SCORE = 500;

const marksInUse = new Set<string>();

/** Runs a command to its end. Rejects only for our own bugs; all that can happen to a command is a result. */
export async function runCommand(spec: CommandSpec): Promise<CommandResult> {
  invariant((spec.argv === undefined) !== (spec.shell === undefined), 'a command has either argv or shell');
  invariant(spec.mark !== '' && !spec.mark.includes('\0'), 'a command has a mark without NUL');
  // Two commands of one mark would end each other's processes.
  invariant(!marksInUse.has(spec.mark), `the mark "${spec.mark}" is in use by another command`);
  if (spec.signal?.aborted === true) return neverStarted();
  marksInUse.add(spec.mark);
  try {
    return await runMarked(spec);
  } finally {
    marksInUse.delete(spec.mark);
  }
}

async function runMarked(spec: CommandSpec): Promise<CommandResult> {
  const refusal = missingDirectory(spec) ?? announce(spec);
  if (refusal !== undefined) return refusal;
  const running = await start(spec);
  if ('kind' in running) {
    retire(spec);
    return running;
  }
  const ending = await untilEnding(running, spec);
  if (ending.kind === 'exited') await settlesWithin(running.closed, CLOSE_GRACE_MS);
  const killed = await endTree(running, spec);
  if (killed.left.length === 0) retire(spec);
  await releaseOutput(running);
  return resultOf(spec, running, { ending, killed });
}

function missingDirectory(spec: CommandSpec): NotRun | undefined {
  return spec.cwd === undefined ? undefined : checkWorkingDirectory(spec.cwd);
}

async function start(spec: CommandSpec): Promise<Running | NotRun> {
  const [file, ...args] = spec.argv ?? ['/bin/sh', '-c', spec.shell as string, SHELL_NAME];
  if (file === undefined || file === '') return { kind: 'not-run', reason: 'not-found', message: 'the command is empty; name a program' };
  const startedMs = uptimeMs();
  let child: ChildProcess;
  try {
    // Loaded when it is first needed: most of what is started never spawns anything.
    child = process.getBuiltinModule('node:child_process').spawn(file, args, {
      cwd: spec.cwd,
      env: commandEnvironment(spec),
      detached: true,
      stdio: [spec.stdin === undefined && spec.talk === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    });
  } catch (error) {
    return notStarted(file, error as NodeJS.ErrnoException);
  }
  const { pid } = child;
  if (pid === undefined) {
    const [error] = (await once(child, 'error')) as [NodeJS.ErrnoException];
    return missingDirectory(spec) ?? notStarted(file, error);
  }
  const closed = new Promise((resolve) => child.once('close', resolve));
  complete(spec, pid);
  offerToMemoryKiller(pid);
  feed(child, spec);
  return {
    child: child as Running['child'],
    start: readProcess(pid)?.start ?? '',
    startedMs,
    stdout: captureStream(child.stdout as Readable, captureOptions(spec, 'stdout')),
    stderr: captureStream(child.stderr as Readable, captureOptions(spec, 'stderr')),
    closed,
  };
}

function captureOptions(spec: CommandSpec, stream: 'stdout' | 'stderr') {
  const { onOutput, redactor } = spec;
  return {
    bytesMax: spec.outputMax ?? OUTPUT_MAX,
    redactor,
    onText: onOutput === undefined ? undefined : (text: string) => onOutput(stream, text),
  };
}

function feed({ stdin }: ChildProcess, { stdin: text, talk }: CommandSpec): void {
  if (stdin === null) return;
  // A command may end, or close its input, without reading all of it: that is its right and no error.
  stdin.on('error', () => {});
  if (talk === undefined) return void stdin.end(text);
  talk({
    write: (said) => {
      if (!stdin.writableEnded) stdin.write(said);
    },
    end: () => {
      if (!stdin.writableEnded) stdin.end();
    },
  });
}

// When memory runs out, the system should end the command, which can be run again, and not the engine.
function offerToMemoryKiller(pid: number): void {
  if (process.platform !== 'linux') return;
  const path = `/proc/${pid}/oom_score_adj`;
  try {
    if (Number(readFileSync(path, 'utf8')) < OOM_SCORE) writeFileSync(path, String(OOM_SCORE));
  } catch {
    // It has ended already, or the system does not let us: the command runs all the same.
  }
}

function untilEnding(running: Running, spec: CommandSpec): Promise<Ending> {
  const { promise, resolve } = Promise.withResolvers<Ending>();
  const onAbort = (): void => resolve({ kind: 'aborted' });
  running.child.once('exit', (code, signal) => resolve({ kind: 'exited', code, signal }));
  spec.signal?.addEventListener('abort', onAbort, { once: true });
  const timer =
    spec.timeoutMs === undefined ? undefined : setTimeout(() => resolve({ kind: 'timeout' }), Math.min(spec.timeoutMs, TIMER_MAX_MS));
  return promise.finally(() => {
    clearTimeout(timer);
    spec.signal?.removeEventListener('abort', onAbort);
  });
}

function endTree({ child, start }: Running, spec: CommandSpec): Promise<KillResult> {
  const root = { pid: child.pid, start, mark: spec.mark, session: child.pid };
  return killTree(root, spec.killGraceMs === undefined ? {} : { graceMs: spec.killGraceMs });
}

async function releaseOutput({ child, closed }: Running): Promise<void> {
  if (await settlesWithin(closed, CLOSE_LIMIT_MS)) return;
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
}

async function settlesWithin(promise: Promise<unknown>, limitMs: number): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), limitMs);
  return await Promise.race([promise.then(() => true), late]).finally(() => clearTimeout(timer));
}

function resultOf(spec: CommandSpec, running: Running, end: { ending: Ending; killed: KillResult }): CommandResult {
  const { ending, killed } = end;
  const stdout = running.stdout.finish();
  const stderr = running.stderr.finish();
  const ended: Ended = {
    stdout: stdout.text,
    stderr: stderr.text,
    stdoutBytes: stdout.bytes,
    stderrBytes: stderr.bytes,
    durationMs: Math.round(uptimeMs() - running.startedMs),
    left: killed.left,
  };
  if (ending.kind !== 'exited') return { kind: ending.kind, ...ended };
  const exitCode = ending.code ?? 128 + (constants.signals[ending.signal as NodeJS.Signals] ?? 0);
  const notRun = spec.shell === undefined ? undefined : notRunByShell(exitCode, stderr.text);
  return notRun ?? { kind: 'exited', exitCode, signal: ending.signal, leftBehind: killed.killed, ...ended };
}

function neverStarted(): CommandResult {
  return { kind: 'aborted', stdout: '', stderr: '', stdoutBytes: 0, stderrBytes: 0, durationMs: 0, left: [] };
}

// Written before the command starts: a crash in between must not leave a process that nobody can find.
function announce(spec: CommandSpec): NotRun | undefined {
  try {
    record(spec, 0);
    return undefined;
  } catch (error) {
    const message = `no pid file could be written in ${spec.pidDir}, and without one a crash would leave the command running unseen: ${messageOf(error)}`;
    return { kind: 'not-run', reason: 'failed', message };
  }
}

function complete(spec: CommandSpec, pid: number): void {
  try {
    record(spec, pid);
  } catch {
    // The file written before the start names the mark, which is enough to find the processes that keep it.
  }
}

function record(spec: CommandSpec, pid: number): void {
  if (spec.pidDir === undefined) return;
  const owner = identityOf();
  invariant(owner !== undefined, 'this process has an identity');
  writePidFile(spec.pidDir, { mark: spec.mark, pid, start: pid === 0 ? '' : (readProcess(pid)?.start ?? ''), owner });
}

function retire(spec: CommandSpec): void {
  if (spec.pidDir !== undefined) removePidFile(spec.pidDir, spec.mark);
}
