// Owns one trial of a run with database steps: a process that is killed, others that resume it, and what is in the
// database afterwards.

import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual, promisify } from 'node:util';
import { createBook, dump } from '../safe-db/book.ts';
import type { DatabaseJob, DatabaseWord } from './database-program.ts';

const run = promisify(execFile);
const PROGRAM = join(import.meta.dirname, 'database-program.ts');

/** A folder with a book that all trials begin with. */
export interface Trials {
  readonly folder: string;
  readonly book: string;
}

/** What a run left. */
export interface Trial {
  readonly last: DatabaseWord;
  readonly rows: Record<string, unknown>;
}

/** Prepares trials in a folder. */
export function prepareTrials(folder: string): Trials {
  return { folder, book: createBook(folder) };
}

/** Runs the workflow; a process that is told to dies before one of its writes, and another one goes on. */
export async function tryOnce({ folder, book }: Trials, dieAt?: number): Promise<Trial> {
  const place = join(folder, `trial-${dieAt ?? 'whole'}`);
  mkdirSync(place);
  const job: DatabaseJob = { run: 'r1', db: join(place, 'pawl.db'), data: join(place, 'book.db'), cwd: place };
  copyFileSync(book, job.data);
  if (dieAt !== undefined && (await start({ ...job, dieAt })) !== undefined)
    throw new Error(`the process was to die before write ${dieAt} and did not`);
  const last = await start(job);
  if (last === undefined) throw new Error(`the process that resumed after write ${dieAt} was killed`);
  return { last, rows: dump(job.data) };
}

/** What the process said last; undefined if it was killed. */
async function start(job: DatabaseJob): Promise<DatabaseWord | undefined> {
  try {
    const { stdout } = await run(process.execPath, ['--no-warnings', PROGRAM, JSON.stringify(job)], { timeout: 120_000 });
    return JSON.parse(stdout) as DatabaseWord;
  } catch (error) {
    if ((error as { signal?: string }).signal === 'SIGKILL') return undefined;
    throw error;
  }
}

/** Whether rows are those of a whole run without anything of its last step, `asked`. */
export function isUntouched(rows: Trial['rows'], whole: Trial['rows']): boolean {
  const without = {
    ...whole,
    totals: (whole.totals as { id: number; n: number }[]).map(({ id, n }) => ({ id, n: id === 1 ? n - 100 : n })),
    history: (whole.history as { what: string }[]).filter(({ what }) => what !== 'asked'),
  };
  return isDeepStrictEqual(rows, without);
}
