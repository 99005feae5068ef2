// Owns one trial: a fresh store and ledger, a sequence of processes of which all but the last are killed, and the
// comparison of the result with the baseline run.

import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { removeFolder } from '../../process/remove-folder.ts';
import type { CrashJob } from './child.ts';
import { compareEnds } from './compare.ts';
import { copiedPoints, copyFiles, folderOf } from './copies.ts';
import { type CrashEnd, readEnd } from './end.ts';
import { type CrashCommand, type OutsideKill, type ProcessEnd, runProcess, runProcesses } from './process.ts';
import { type CrashPoint, formatPoint } from './store.ts';

/** How a process of a trial is killed: at one of its writes, or from outside at some time. */
export type ProcessKill = { readonly at: CrashPoint } | { readonly outside: OutsideKill };

/** A workflow, and its end without kills. */
export interface Baseline {
  readonly command: CrashCommand;
  readonly workflow: string;
  readonly end: CrashEnd;
  readonly counts: Readonly<Record<string, number>>;
  readonly tookMs: number;
}

/** The result of a trial. */
export interface Trial {
  /** The kills that were planned and happened, in order. */
  readonly killed: readonly ProcessKill[];
  readonly interrupted: number;
  readonly differences: readonly string[];
}

/** Long enough to be a run id, the same in every trial, so that ends can be compared. */
export const TRIAL_RUN = 'crash0000000000a';
/** This many jobs fit on a command line. */
const RUNS_PER_PROCESS = 100;

/** Runs a workflow to its end without kills. */
export async function runBaseline(command: CrashCommand, workflow: string): Promise<Baseline> {
  return inFreshDirectory(workflow, async (job) => {
    const { counts, tookMs, failure } = await runProcess(command, job);
    if (counts === undefined) throw new Error(`workflow "${workflow}" does not end even without kills: ${failure}`);
    const end = await readEnd(job);
    const wrong = compareEnds(end, end);
    if (wrong.length > 0) throw new Error(`workflow "${workflow}" is wrong even without kills: ${wrong.join('; ')}`);
    return { command, workflow, end, counts, tookMs };
  });
}

/**
 * Copies the files at every write of a first process, and at every write of a second one that resumes the copy at `half`.
 * Other processes then resume all copies: each is what a kill at that moment would have left.
 */
export async function runCopies(baseline: Baseline, half: CrashPoint): Promise<readonly Trial[]> {
  return inFreshDirectory(baseline.workflow, async (job) => {
    const first = dirname(job.db);
    const copying = async (life: CrashJob): Promise<string> => {
      const copies = `${dirname(life.db)}-copies`;
      await mkdir(copies);
      const [failure] = await runProcesses(baseline.command, [{ ...life, copies }]);
      if (failure !== undefined) throw new Error(nameOf(baseline, [], failure));
      return copies;
    };
    const copies = await copying(job);
    const second = `${first}-resumed`;
    copyFiles(join(copies, folderOf(half)), second);
    const copiesOfSecond = await copying(copiedJob(job, second));
    const trials = [
      { directory: second, killed: [{ at: half }] },
      ...copiedPoints(copies).map((at) => ({ directory: join(copies, folderOf(at)), killed: [{ at }] })),
      ...copiedPoints(copiesOfSecond).map((at) => ({ directory: join(copiesOfSecond, folderOf(at)), killed: [{ at: half }, { at }] })),
    ];
    return resumeAll(baseline, job, trials);
  });
}

interface CopiedTrial {
  readonly directory: string;
  readonly killed: readonly ProcessKill[];
}

async function resumeAll(baseline: Baseline, job: CrashJob, trials: readonly CopiedTrial[]): Promise<readonly Trial[]> {
  const found: Trial[] = [];
  for (let from = 0; from < trials.length; from += RUNS_PER_PROCESS) {
    const some = trials.slice(from, from + RUNS_PER_PROCESS);
    const jobs = some.map(({ directory }) => copiedJob(job, directory));
    const failures = await runProcesses(baseline.command, jobs);
    for (const [index, { killed }] of some.entries())
      found.push(await compareTrial(baseline, { job: jobs[index] as CrashJob, killed }, failures[index]));
  }
  return found;
}

function copiedJob(job: CrashJob, directory: string): CrashJob {
  return { ...job, isCopy: true, db: join(directory, basename(job.db)), ledger: join(directory, basename(job.ledger)) };
}

/** Runs a workflow with these kills, one per process, and then drives it to its end in a last process. */
export async function runTrial(baseline: Baseline, kills: readonly ProcessKill[]): Promise<Trial> {
  return inFreshDirectory(baseline.workflow, async (job) => {
    const killed: ProcessKill[] = [];
    for (const kill of kills) {
      const end = await runAndKill(baseline.command, job, kill);
      if (end.failure !== undefined) return { killed, interrupted: 0, differences: [nameOf(baseline, [...killed, kill], end.failure)] };
      if (!end.killed) break;
      killed.push(kill);
    }
    const { failure } = await runProcess(baseline.command, job);
    return compareTrial(baseline, { job, killed }, failure);
  });
}

function runAndKill(command: CrashCommand, job: CrashJob, kill: ProcessKill): Promise<ProcessEnd> {
  return 'at' in kill ? runProcess(command, { ...job, point: kill.at }) : runProcess(command, job, kill.outside);
}

async function compareTrial(
  baseline: Baseline,
  { job, killed }: { readonly job: CrashJob; readonly killed: readonly ProcessKill[] },
  failure: string | undefined,
): Promise<Trial> {
  if (failure !== undefined) return { killed, interrupted: 0, differences: [nameOf(baseline, killed, failure)] };
  const end = await readEnd(job);
  const differences = compareEnds(baseline.end, end).map((problem) => nameOf(baseline, killed, problem));
  return { killed, interrupted: end.interrupted.size, differences };
}

function nameOf({ workflow }: Baseline, kills: readonly ProcessKill[], problem: string): string {
  return `${workflow}, killed ${kills.map(formatKill).join(', then ') || 'never'}: ${problem}`;
}

function formatKill(kill: ProcessKill): string {
  return 'at' in kill ? formatPoint(kill.at) : `${kill.outside.ms.toFixed(1)} ms after ${kill.outside.after}`;
}

async function inFreshDirectory<T>(workflow: string, work: (job: CrashJob) => Promise<T>): Promise<T> {
  const parent = await mkdtemp(join(tmpdir(), 'pawl-crash-'));
  const directory = join(parent, 'run');
  try {
    await mkdir(directory);
    return await work({ workflow, run: TRIAL_RUN, db: join(directory, 'pawl.db'), ledger: join(directory, 'ledger') });
  } finally {
    await removeFolder(parent);
  }
}
