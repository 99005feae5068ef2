// Owns reading a run of an agent's session for the hooks, from whichever database it is in.

import { existsSync } from 'node:fs';
import { type AttendedRun, readAttendedRun, sourceOfFile } from '../../attended/attended-run.ts';
import type { SessionRun } from '../agent-session.ts';
import { closing } from '../session.ts';

/** Reads a run of a session; undefined when it has ended or no longer exists. */
export async function readSessionRun({ run, db }: SessionRun): Promise<AttendedRun | undefined> {
  if (!existsSync(db)) return undefined;
  const { openSqliteStore } = await import('../../store/sqlite/open.ts');
  return closing(await openSqliteStore({ file: db }), async (store) => {
    if ((await store.resolve(run, 1)).length === 0) return undefined;
    const found = await readAttendedRun(sourceOfFile(store, db), run);
    return found.kind === 'ended' ? undefined : found;
  });
}
