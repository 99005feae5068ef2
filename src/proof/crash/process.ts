// Starts a process with a job, reads its output, kills it if that is planned, and waits until it has ended before the next
// one starts.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { CrashJob, CrashMessage } from './child.ts';

/** How the program is started; the job is added as the last argument. */
export interface CrashCommand {
  readonly file: string;
  readonly args: readonly string[];
}

/** How a process ended: killed, or by itself with the run at its end. `failure` is neither. */
export interface ProcessEnd {
  readonly killed: boolean;
  readonly counts?: Readonly<Record<string, number>>;
  /** From ready to the end, in milliseconds. */
  readonly tookMs: number;
  readonly failure?: string;
}

/** When a process is killed from outside: this long after its start, or after it was ready. */
export interface OutsideKill {
  readonly after: 'start' | 'ready';
  readonly ms: number;
}

/** A process that prints nothing for this long is hanging. */
const SILENCE_MS_MAX = 120_000;
const STDERR_MAX = 2000;

/** Runs one process until it ends or is killed. */
export async function runProcess(command: CrashCommand, job: CrashJob, kill?: OutsideKill): Promise<ProcessEnd> {
  const { ends, ...last } = await runJobs(command, job, kill);
  const [counts] = ends;
  return last.failure === undefined && !last.killed && counts !== undefined ? { ...last, counts } : last;
}

/** Drives runs to their ends one by one, with as few processes as possible, and returns the failure of each. */
export async function runProcesses(command: CrashCommand, jobs: readonly CrashJob[]): Promise<readonly (string | undefined)[]> {
  const found: (string | undefined)[] = [];
  while (found.length < jobs.length) {
    const { ends, failure } = await runJobs(command, jobs.slice(found.length));
    found.push(...ends.map(() => undefined), ...(failure === undefined ? [] : [failure]));
  }
  return found;
}

type EndedProcess = ProcessEnd & { readonly ends: ProcessOutput['ends'] };

async function runJobs(command: CrashCommand, job: CrashJob | readonly CrashJob[], kill?: OutsideKill): Promise<EndedProcess> {
  const child = spawn(command.file, [...command.args, JSON.stringify(job)], { stdio: ['ignore', 'pipe', 'pipe'] });
  const closed = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  let hangs = false;
  const silence = setTimeout(() => {
    hangs = true;
    child.kill('SIGKILL');
  }, SILENCE_MS_MAX);
  const output = readOutput(child, { kill, onMessage: () => silence.refresh() });
  const [code, signal] = await closed;
  clearTimeout(silence);
  const { ends } = output;
  const tookMs = performance.now() - output.readyAt;
  if (hangs) return { ends, killed: false, tookMs, failure: `it was still at work after ${SILENCE_MS_MAX} ms` };
  if (signal === 'SIGKILL') return { ends, killed: true, tookMs };
  if (code === 0 && ends.length === [job].flat().length) return { ends, killed: false, tookMs };
  return { ends, killed: false, tookMs, failure: `it ended with ${signal ?? `code ${code}`}: ${output.stderr.slice(-STDERR_MAX)}` };
}

interface ProcessOutput {
  readyAt: number;
  stderr: string;
  /** The writes of each run that has ended. */
  readonly ends: Readonly<Record<string, number>>[];
}

function readOutput(
  child: ChildProcess,
  { kill, onMessage }: { readonly kill: OutsideKill | undefined; onMessage(): void },
): ProcessOutput {
  const output: ProcessOutput = { readyAt: performance.now(), stderr: '', ends: [] };
  const killLater = (when: OutsideKill['after']): void => {
    if (kill?.after === when) setTimeout(() => child.kill('SIGKILL'), kill.ms);
  };
  killLater('start');
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text;
  });
  if (child.stdout !== null)
    createInterface({ input: child.stdout }).on('line', (line) => {
      const message = JSON.parse(line) as CrashMessage;
      onMessage();
      if (message.kind === 'ended') output.ends.push(message.counts);
      else output.readyAt = performance.now();
      if (message.kind === 'ready') killLater('ready');
    });
  return output;
}
