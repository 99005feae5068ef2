// Reads a run of an agent's session for the hooks, from the database that the session names.

import { existsSync } from 'node:fs';
import { type AttendedRun, readAttendedRun, sourceOfFile } from '../../attended/attended-run.ts';
import type { Store } from '../../store/store.ts';
import type { SessionRun } from '../agent-session.ts';
import { closing } from '../session.ts';

/** Reads from the database of a run of a session; undefined when the run no longer exists. */
export async function withSessionStore<T>({ run, db }: SessionRun, read: (store: Store) => Promise<T>): Promise<T | undefined> {
  if (!existsSync(db)) return undefined;
  const { openSqliteStore } = await import('../../store/sqlite/open.ts');
  return closing(await openSqliteStore({ file: db }), async (store) =>
    (await store.resolve(run, 1)).length === 0 ? undefined : read(store),
  );
}

/** Reads a run of a session; undefined when it has ended or no longer exists. */
export async function readSessionRun(entry: SessionRun): Promise<AttendedRun | undefined> {
  const found = await withSessionStore(entry, (store) => readAttendedRun(sourceOfFile(store, entry.db), entry.run));
  return found?.kind === 'ended' ? undefined : found;
}
