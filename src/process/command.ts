// Owns the execution of one command: it starts in its own session with a mark, its output is bounded, it ends at its
// timeout or on request, and none of its processes is left running afterwards.
//
// - A command that could not be run is `not-run`: never a success, never a failure.
// - When the result is returned, no process of the command is running, except those listed in `left`.
// - A process that keeps the output open does not delay the result.
// - It inherits none of our open files and sockets: Node closes low descriptors itself, this closes the rest, on Linux.
// - A shell line runs in `/bin/sh`. One whose exit code decides something must not lose the failure of a program before a `|`,
//   so it runs with `pipefail`: in `/bin/sh` if it supports that, else in bash.

import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import type { Readable } from 'node:stream';
import { messageOf } from '../base/error.ts';
import { omitUndefined } from '../base/fields.ts';
import { invariant } from '../base/invariant.ts';
import { uptimeMs } from '../base/uptime.ts';
import { captureStream } from './capture.ts';
import { commandEnvironment } from './environment.ts';
import { identityOf } from './identity.ts';
import type { NetworkFence } from './network.ts';
import { type CommandStartFailure, checkWorkingDirectory, notRunByShell, notStarted, SHELL_NAME } from './not-run.ts';
import { type PidRecord, removePidFile, writePidFile } from './pid-file.ts';
import { readProcess } from './process-table.ts';
import type { Redactor } from './redact.ts';
import { type KillResult, killTree } from './tree.ts';

/** A program with its arguments, or a script for `sh -c`; both are passed on unchanged. */
export type CommandLine =
  | { readonly argv: readonly string[]; readonly shell?: undefined }
  /** `pipefail`: the script fails if any program in a pipe fails. */
  | { readonly shell: string; readonly pipefail?: boolean };

/** A command to run, with its limits. */
export type ProcessSpec = CommandLine & CommandOptions;

/** The environment and the limits of a command. */
export interface CommandOptions {
  readonly cwd?: string;
  /** Declared variables, added to the inherited ones. */
  readonly env?: Readonly<Record<string, string>>;
  /** Names of our variables that it inherits instead of the default ones. A trailing `*` matches a prefix. */
  readonly inheritEnv?: readonly string[];
  /** Text for the standard input. Empty by default. */
  readonly stdin?: string;
  /** For interactive programs, instead of `stdin`: called with the standard input once the program runs; must end it. */
  readonly onStart?: (stdin: CommandInput) => void;
  /** No limit by default. The maximum is 24 days. */
  readonly timeoutMs?: number;
  /** Time between SIGTERM and SIGKILL. Default: 2 s. */
  readonly killGraceMs?: number;
  /** Bytes kept of each stream, half from its start and half from its end. Default: 1 MiB. */
  readonly outputMax?: number;
  readonly signal?: AbortSignal;
  /** Unique to this command while it runs. All its descendants inherit it as PAWL_MARK. */
  readonly mark: string;
  /** The folder for a pid file, so that `sweepOrphans` finds the command after a crash. */
  readonly pidDir?: string;
  /** Called with all output as it arrives, in whole characters. Must not throw. */
  readonly onOutput?: (stream: 'stdout' | 'stderr', text: string) => void;
  /** Masks secrets in the output before it is cut, stored or passed on. */
  readonly redactor?: Redactor;
  /** Limits its network access. */
  readonly fence?: NetworkFence;
  /** The program is known to start no others, so no processes are searched for after it has exited. */
  readonly startsNothing?: boolean;
}

/** The standard input of an interactive command. Writing after it has ended is not an error. */
export interface CommandInput {
  write(text: string): void;
  end(): void;
}

/** The output of a command. */
export interface PrintedOutput {
  readonly stdout: string;
  readonly stderr: string;
  /** The number of bytes printed, whether kept or not. */
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
  readonly durationMs: number;
  /** Pids of processes that could not be ended (another user's, or stuck in the kernel). */
  readonly left: readonly number[];
}

/** How a command ended. */
export type ProcessResult =
  | (PrintedOutput & {
      readonly kind: 'exited';
      /** As a shell would report it: 128 plus the signal number if a signal ended the command. */
      readonly exitCode: number;
      readonly signal: string | null;
      /** The number of background processes it left running. They have been ended. */
      readonly leftBehind: number;
    })
  | (PrintedOutput & { readonly kind: 'timeout' | 'aborted' })
  | CommandStartFailure;

type Ending =
  | { readonly kind: 'exited'; readonly code: number | null; readonly signal: NodeJS.Signals | null }
  | { readonly kind: 'timeout' | 'aborted' };

interface RunningCommand {
  readonly child: ChildProcess & { readonly pid: number };
  /** The process with its start time; undefined if it had ended before it could be read. */
  readonly first: PidRecord['first'];
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

const NOTHING_LEFT: KillResult = { killed: 0, left: [] };

const marksInUse = new Set<string>();

/** Runs a command to its end. Rejects only for bugs of ours; everything that happens to a command is a result. */
export async function runCommand(spec: ProcessSpec): Promise<ProcessResult> {
  invariant(spec.mark !== '' && !spec.mark.includes('\0'), 'a command must have a mark without NUL');
  // Two commands with the same mark would end each other's processes.
  invariant(!marksInUse.has(spec.mark), `the mark "${spec.mark}" is in use by another command`);
  if (spec.signal?.aborted === true) return abortedResult();
  marksInUse.add(spec.mark);
  try {
    return await runMarked(spec);
  } finally {
    marksInUse.delete(spec.mark);
  }
}

async function runMarked(spec: ProcessSpec): Promise<ProcessResult> {
  const refusal = missingDirectory(spec) ?? recordBeforeStart(spec);
  if (refusal !== undefined) return refusal;
  const running = await start(spec);
  if ('kind' in running) {
    removeRecord(spec);
    return running;
  }
  const ending = await waitForEnd(running, spec);
  if (ending.kind === 'exited') await settlesWithin(running.closed, CLOSE_GRACE_MS);
  const killed = ending.kind === 'exited' && spec.startsNothing === true ? NOTHING_LEFT : await endTree(running, spec);
  if (killed.left.length === 0) removeRecord(spec);
  await releaseOutput(running);
  return resultOf(spec, running, { ending, killed });
}

function missingDirectory(spec: ProcessSpec): CommandStartFailure | undefined {
  return spec.cwd === undefined ? undefined : checkWorkingDirectory(spec.cwd);
}

async function start(spec: ProcessSpec): Promise<RunningCommand | CommandStartFailure> {
  const words = spec.shell === undefined ? spec.argv : shellWords(shellLine(spec));
  if (words[0] === undefined || words[0] === '')
    return { kind: 'not-run', reason: 'not-found', message: 'the command is empty; it must name a program' };
  const [file = '', ...args] = spec.fence === undefined ? words : spec.fence.wrap(words);
  const startedMs = uptimeMs();
  let child: ChildProcess;
  try {
    // Loaded on first use, because most commands of the CLI never spawn anything.
    child = process.getBuiltinModule('node:child_process').spawn(file, args, {
      cwd: spec.cwd,
      env: commandEnvironment(spec),
      detached: true,
      stdio: [spec.stdin === undefined && spec.onStart === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe', ...closedDescriptors()],
    });
  } catch (error) {
    return notStarted(file, error);
  }
  const { pid } = child;
  if (pid === undefined) {
    const [error] = await once(child, 'error');
    return missingDirectory(spec) ?? notStarted(file, error);
  }
  const closed = new Promise((resolve) => child.once('close', resolve));
  recordPid(spec, pid);
  raiseOomScore(pid);
  writeInput(child, spec);
  return {
    child: child as RunningCommand['child'],
    first: startedProcess(pid),
    startedMs,
    stdout: captureStream(child.stdout as Readable, captureOptions(spec, 'stdout')),
    stderr: captureStream(child.stderr as Readable, captureOptions(spec, 'stderr')),
    closed,
  };
}

function captureOptions(spec: ProcessSpec, stream: 'stdout' | 'stderr') {
  const { onOutput, redactor } = spec;
  return {
    bytesMax: spec.outputMax ?? OUTPUT_MAX,
    redactor,
    onText: onOutput === undefined ? undefined : (text: string) => onOutput(stream, text),
  };
}

function writeInput({ stdin }: ChildProcess, { stdin: text, onStart }: ProcessSpec): void {
  if (stdin === null) return;
  // A command may end or close its input without reading all of it. That is not an error.
  stdin.on('error', () => {});
  if (onStart === undefined) return void stdin.end(text);
  onStart({
    write: (more) => {
      if (!stdin.writableEnded) stdin.write(more);
    },
    end: () => {
      if (!stdin.writableEnded) stdin.end();
    },
  });
}

// If memory runs out, the system should end the command, which can be run again, and not the engine.
function raiseOomScore(pid: number): void {
  if (process.platform !== 'linux') return;
  const path = `/proc/${pid}/oom_score_adj`;
  try {
    if (Number(readFileSync(path, 'utf8')) < OOM_SCORE) writeFileSync(path, String(OOM_SCORE));
  } catch {
    // It has already ended, or the system does not permit this. The command runs anyway.
  }
}

function waitForEnd(running: RunningCommand, spec: ProcessSpec): Promise<Ending> {
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

function endTree({ child, first }: RunningCommand, spec: ProcessSpec): Promise<KillResult> {
  const root = { ...first, mark: spec.mark, session: child.pid };
  return killTree(root, omitUndefined({ graceMs: spec.killGraceMs }));
}

async function releaseOutput({ child, closed }: RunningCommand): Promise<void> {
  if (await settlesWithin(closed, CLOSE_LIMIT_MS)) return;
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
}

async function settlesWithin(promise: Promise<unknown>, limitMs: number): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), limitMs);
  return await Promise.race([promise.then(() => true), late]).finally(() => clearTimeout(timer));
}

function resultOf(spec: ProcessSpec, running: RunningCommand, end: { ending: Ending; killed: KillResult }): ProcessResult {
  const { ending, killed } = end;
  const stdout = running.stdout.finish();
  const stderr = running.stderr.finish();
  const ended: PrintedOutput = {
    stdout: stdout.text,
    stderr: stderr.text,
    stdoutBytes: stdout.bytes,
    stderrBytes: stderr.bytes,
    durationMs: Math.round(uptimeMs() - running.startedMs),
    left: killed.left,
  };
  if (ending.kind !== 'exited') return { kind: ending.kind, ...ended };
  const code = ending.code ?? 128 + (constants.signals[ending.signal as NodeJS.Signals] ?? 0);
  const exitCode = spec.shell === undefined ? code : shellExitCode(shellLine(spec), code);
  const notRun = spec.shell === undefined && spec.fence === undefined ? undefined : notRunByShell(exitCode, stderr.text);
  return notRun ?? { kind: 'exited', exitCode, signal: ending.signal, leftBehind: killed.killed, ...ended };
}

function shellLine({ shell, pipefail = false }: Extract<CommandLine, { readonly shell: string }>): ShellLine {
  return { shell, pipefail };
}

function abortedResult(): ProcessResult {
  return { kind: 'aborted', stdout: '', stderr: '', stdoutBytes: 0, stderrBytes: 0, durationMs: 0, left: [] };
}

// Written before the command starts, so that its processes can be found after a crash in between.
function recordBeforeStart(spec: ProcessSpec): CommandStartFailure | undefined {
  try {
    record(spec, undefined);
    return undefined;
  } catch (error) {
    const message = `cannot write a pid file in ${spec.pidDir}, and without one a crash would leave the command running: ${messageOf(error)}`;
    return { kind: 'not-run', reason: 'failed', message };
  }
}

function recordPid(spec: ProcessSpec, pid: number): void {
  try {
    record(spec, startedProcess(pid));
  } catch {
    // The file from before the start contains the mark, which is enough to find the processes.
  }
}

function startedProcess(pid: number): PidRecord['first'] {
  const start = readProcess(pid)?.start;
  return start === undefined ? undefined : { pid, start };
}

function record(spec: ProcessSpec, first: PidRecord['first']): void {
  if (spec.pidDir === undefined) return;
  const owner = identityOf();
  invariant(owner !== undefined, 'this process has an identity');
  writePidFile(spec.pidDir, { mark: spec.mark, ...omitUndefined({ first }), owner });
}

function removeRecord(spec: ProcessSpec): void {
  if (spec.pidDir !== undefined) removePidFile(spec.pidDir, spec.mark);
}

const CLOSE_ON_EXEC = 0o2000000;

let entries: readonly (number | 'ignore')[] | undefined;

/** The entries of a child's `stdio` from 3 on that replace inherited descriptors. */
function closedDescriptors(): readonly (number | 'ignore')[] {
  // Node opens nothing that a child would inherit, so reading the list once is enough.
  entries ??= process.platform === 'linux' ? coverDescriptors(inheritable()) : [];
  return entries;
}

function coverDescriptors(descriptors: readonly number[]): (number | 'ignore')[] {
  if (descriptors.length === 0) return [];
  const nothing = openSync('/dev/null', 'r');
  return Array.from({ length: Math.max(...descriptors) - 2 }, (_, index) => (descriptors.includes(index + 3) ? nothing : 'ignore'));
}

function inheritable(): number[] {
  try {
    return readdirSync('/proc/self/fd')
      .map(Number)
      .filter((descriptor) => descriptor > 2 && isInheritable(descriptor));
  } catch {
    return [];
  }
}

function isInheritable(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8'))?.[1] ?? '';
    return (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    // It was the descriptor of the listing itself.
    return false;
  }
}

/** The exit code of a program whose reader stopped reading (128 + SIGPIPE). */
const SIGPIPE_EXIT = 141;
const PIPE = /(?<!\|)\|(?!\|)/;
const BASH = ['bash', '--posix', '-O', 'xpg_echo'];

let strict: readonly string[] | undefined;

/** A shell line, and whether it fails if any program in a pipe fails. */
interface ShellLine {
  readonly shell: string;
  readonly pipefail: boolean;
}

/** Returns the program and arguments that run a shell line. */
function shellWords({ shell, pipefail }: ShellLine): string[] {
  const words = pipefail && PIPE.test(shell) ? strictShell() : ['/bin/sh'];
  return [...words, '-c', shell, SHELL_NAME];
}

/** Returns the exit code of a shell line; `yes | head -1` has not failed because `head` stopped reading. */
function shellExitCode({ shell, pipefail }: ShellLine, exitCode: number): number {
  return pipefail && exitCode === SIGPIPE_EXIT && PIPE.test(shell) ? 0 : exitCode;
}

function strictShell(): readonly string[] {
  const { spawnSync } = process.getBuiltinModule('node:child_process');
  strict ??= [['/bin/sh'], BASH]
    .map((words) => [...words, '-o', 'pipefail'])
    .find(([file = '', ...words]) => spawnSync(file, [...words, '-c', ':'], { stdio: 'ignore' }).status === 0) ?? ['/bin/sh'];
  return strict;
}
