// Owns one trial: a fresh store and ledger, a row of processes of which all but the last are killed, and the
// comparison of where that led with the undisturbed run.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CrashJob } from './crash-child.ts';
import { compareEnds } from './crash-compare.ts';
import { type CrashEnd, readEnd } from './crash-end.ts';
import { type CrashCommand, type OutsideKill, type ProcessEnd, runProcess } from './crash-process.ts';
import { type CrashPoint, formatPoint } from './crash-store.ts';

/** How one of the processes of a trial is killed: by itself at a write, or from outside at some time. */
export type Kill = { readonly at: CrashPoint } | { readonly outside: OutsideKill };

/** A workflow that is killed, and how it ends when nobody disturbs it. */
export interface Undisturbed {
  readonly command: CrashCommand;
  readonly workflow: string;
  readonly end: CrashEnd;
  readonly counts: Readonly<Record<string, number>>;
  readonly tookMs: number;
}

/** What came of a trial. */
export interface Trial {
  /** The kills that were planned and happened, in order. */
  readonly killed: readonly Kill[];
  readonly interrupted: number;
  readonly differences: readonly string[];
}

/** Long enough to be a run id, the same in every trial, so that ends can be compared. */
const RUN = 'crash0000000000a';
const LIVES_MAX = 20;

/** Runs a workflow to its end without disturbing it. */
export async function runUndisturbed(command: CrashCommand, workflow: string): Promise<Undisturbed> {
  return inFreshDirectory(workflow, async (job) => {
    const { counts, tookMs, trouble } = await runProcess(command, job);
    if (counts === undefined) throw new Error(`workflow "${workflow}" does not even end when nobody disturbs it: ${trouble}`);
    const end = await readEnd(job);
    const wrong = compareEnds(end, end);
    if (wrong.length > 0) throw new Error(`workflow "${workflow}" is wrong when nobody disturbs it: ${wrong.join('; ')}`);
    return { command, workflow, end, counts, tookMs };
  });
}

/** Runs a workflow with these kills, one per process, and then lets a last process bring it to its end. */
export async function runTrial(undisturbed: Undisturbed, kills: readonly Kill[]): Promise<Trial> {
  return inFreshDirectory(undisturbed.workflow, async (job) => {
    const killed: Kill[] = [];
    for (const kill of kills) {
      const end = await oneLife(undisturbed.command, job, kill);
      if (end.trouble !== undefined) return { killed, interrupted: 0, differences: [nameOf(undisturbed, [...killed, kill], end.trouble)] };
      if (!end.killed) break;
      killed.push(kill);
    }
    return finish(undisturbed, job, killed);
  });
}

function oneLife(command: CrashCommand, job: CrashJob, kill: Kill): Promise<ProcessEnd> {
  return 'at' in kill ? runProcess(command, { ...job, point: kill.at }) : runProcess(command, job, kill.outside);
}

async function finish(undisturbed: Undisturbed, job: CrashJob, killed: readonly Kill[]): Promise<Trial> {
  const { trouble } = await runProcess(undisturbed.command, job);
  if (trouble !== undefined) return { killed, interrupted: 0, differences: [nameOf(undisturbed, killed, trouble)] };
  const end = await readEnd(job);
  const differences = compareEnds(undisturbed.end, end).map((what) => nameOf(undisturbed, killed, what));
  return { killed, interrupted: end.interrupted.size, differences };
}

/** Kills a process and lets several others resume the run at the same time. */
export async function runRivals(undisturbed: Undisturbed, kill: Kill, rivals: number): Promise<Trial> {
  return inFreshDirectory(undisturbed.workflow, async (job) => {
    await oneLife(undisturbed.command, job, kill);
    const resumed = Array.from({ length: rivals }, () => runProcess(undisturbed.command, { ...job, rivals: true }));
    const trouble = (await Promise.all(resumed)).flatMap((end) => (end.trouble === undefined ? [] : [end.trouble]));
    const end = await readEnd(job);
    const found = [...trouble, ...compareEnds(undisturbed.end, end, { rivals: true })];
    return { killed: [kill], interrupted: end.interrupted.size, differences: found.map((what) => nameOf(undisturbed, [kill], what)) };
  });
}

function nameOf({ workflow }: Undisturbed, kills: readonly Kill[], what: string): string {
  return `${workflow}, killed ${kills.map(formatKill).join(', then ') || 'never'}: ${what}`;
}

function formatKill(kill: Kill): string {
  return 'at' in kill ? formatPoint(kill.at) : `${kill.outside.ms.toFixed(1)} ms after ${kill.outside.after}`;
}

async function inFreshDirectory<T>(workflow: string, work: (job: CrashJob) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'pawl-crash-'));
  try {
    return await work({ workflow, run: RUN, db: join(directory, 'pawl.db'), ledger: join(directory, 'ledger') });
  } finally {
    await rm(directory, { recursive: true, force: true, maxRetries: LIVES_MAX });
  }
}
