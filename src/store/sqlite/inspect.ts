// Reads facts about a file without changing or migrating it: its version, where it was created, who owns runs in it. For
// maintenance commands, which must also work on files that cannot be opened as a store.

import { realpathSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { RunStatus } from '../../definition/run-status.ts';
import { toStoreError } from './failure.ts';
import { parseHome } from './home.ts';
import { assertOurs, MIGRATIONS } from './migrate.ts';
import { statusOf } from './run-row.ts';
import { placeSql } from './schema.ts';

/** A run with an owner. */
export interface OwnedRun {
  readonly run: string;
  readonly owner: string;
  /** When something last happened in it. */
  readonly at: number;
  readonly status: RunStatus;
}

/** The facts about a file. */
export interface FileFacts {
  readonly version: number;
  /** The version that this program writes. */
  readonly newest: number;
  readonly journalMode: string;
  readonly runs: number;
  readonly owned: readonly OwnedRun[];
  /** The path that the store was created at, if it is another file. */
  readonly copyOf: string | undefined;
  /** The id of the machine and user that created or adopted the store. */
  readonly origin: string | undefined;
  /** The path of the last recorded backup. */
  readonly lastBackup: string | undefined;
}

/** Reads the facts about a file; one that is not a store, or is of a newer version, is rejected as if it were opened. */
export function inspectFile(file: string): FileFacts {
  try {
    using db = new DatabaseSync(file, { readOnly: true, timeout: 1000 });
    return readFacts(db, file);
  } catch (error) {
    throw toStoreError(error, file);
  }
}

function readFacts(db: DatabaseSync, file: string): FileFacts {
  const newest = MIGRATIONS.at(-1)?.version ?? 0;
  const version = assertOurs(db, file, newest);
  const value = (sql: string, column: string): unknown => db.prepare(sql).get()?.[column];
  const journalMode = String(value('PRAGMA journal_mode', 'journal_mode'));
  if (version === 0)
    return { version, newest, journalMode, runs: 0, owned: [], copyOf: undefined, origin: undefined, lastBackup: undefined };
  return {
    version,
    newest,
    journalMode,
    runs: Number(value('SELECT count(*) AS n FROM runs', 'n')),
    owned: readOwned(db),
    copyOf: homeElsewhere(file, value("SELECT value FROM meta WHERE key = 'home'", 'value')),
    origin: textOf(value("SELECT value FROM meta WHERE key = 'origin'", 'value')),
    lastBackup: textOf(value('SELECT path FROM database_backups ORDER BY created_at DESC LIMIT 1', 'path')),
  };
}

function readOwned(db: DatabaseSync): OwnedRun[] {
  const rows = db
    .prepare(
      `SELECT r.id AS run, r.owner, r.status, (SELECT e.at FROM events e WHERE e.place = ${placeSql('r.key', 'r.seq')}) AS at
       FROM runs r WHERE r.owner IS NOT NULL ORDER BY r.key`,
    )
    .all();
  return rows.map(({ run, owner, at, status }) => ({
    run: String(run),
    owner: String(owner),
    at: Number(at),
    status: statusOf(status) ?? 'failed',
  }));
}

function textOf(column: unknown): string | undefined {
  return column === undefined ? undefined : String(column);
}

function homeElsewhere(file: string, home: unknown): string | undefined {
  if (typeof home !== 'string') return undefined;
  const { path, inode } = parseHome(home);
  const isHere = path === realpathSync(file) && inode === String(statSync(file, { bigint: true }).ino);
  return isHere ? undefined : path;
}
