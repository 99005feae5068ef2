// Lists the open attended runs of a project, and selects the one that an agent that has lost its context continues.

import { EngineError } from '../base/error.ts';
import { ATTENDED } from '../steps/run-records.ts';
import type { RunSummary, Store } from '../store/store.ts';
import { type AttendedRun, readAttendedRun, type WorkSource } from './attended-run.ts';

/** An open attended run of a project, and which session works on it. */
export interface ProjectRun {
  readonly run: AttendedRun;
  /** `own`: the calling session. `other`: another live session. */
  readonly holder: 'own' | 'other' | undefined;
}

/** How many runs are read, newest first. */
const RUNS_MAX = 50;

/** The open attended top-level runs that `isWanted` selects, newest first. */
export async function readOpenRuns(source: WorkSource, isWanted: (run: RunSummary) => boolean): Promise<readonly AttendedRun[]> {
  const listed = await source.store.list({ status: ['running', 'waiting'] });
  const wanted = listed.filter((run) => run.parent === undefined && run.damaged === undefined && isWanted(run)).slice(0, RUNS_MAX);
  const runs = await Promise.all(wanted.map(({ id }) => readOpenRun(source, id)));
  return runs.filter((run) => run !== undefined);
}

async function readOpenRun(source: WorkSource, id: string): Promise<AttendedRun | undefined> {
  const run = await readAttendedRun(source, id);
  if (run.kind === 'ended' || run.kind === 'halted') return undefined;
  // In a run that is driven by programs, a single role can be attended: the run counts while one of its steps is open.
  return run.kind === 'work' || (await isAttended(source.store, id)) ? run : undefined;
}

async function isAttended(store: Store, id: string): Promise<boolean> {
  return ATTENDED.read((await store.data(id, [ATTENDED.key])).get(ATTENDED.key)) === true;
}

/** The run that an agent continues if it names none: its only own one, otherwise the only one without a session. */
export function selectRun(open: readonly ProjectRun[]): ProjectRun | undefined {
  const own = open.filter(({ holder }) => holder === 'own');
  const free = open.filter(({ holder }) => holder === undefined);
  const [only, ...more] = own.length > 0 ? own : free;
  return more.length === 0 ? only : undefined;
}

/** The open run with a prefix of its id. */
export function openRunNamed(open: readonly ProjectRun[], prefix: string): ProjectRun {
  const matches = prefix === '' ? [] : open.filter(({ run }) => run.id.startsWith(prefix.toLowerCase()));
  const [only, ...more] = matches;
  if (only === undefined)
    throw new EngineError('RUN_NOT_FOUND', `no open attended run "${prefix}" in this project; "pawl runs --attended" lists them`, {
      details: { run: prefix },
    });
  if (more.length > 0)
    throw new EngineError(
      'RUN_AMBIGUOUS',
      `"${prefix}" matches several runs: ${matches.map(({ run }) => run.id).join(', ')}; give more characters`,
      {
        details: { runs: matches.map(({ run }) => run.id) },
      },
    );
  return only;
}
