// Owns the versions of the file: numbered migrations, each in one transaction, after a backup of the file.

import type { DatabaseSync } from 'node:sqlite';
import { EngineError } from '../../base/error.ts';
import { transact } from '../../base/sqlite.ts';
import { copyDatabase, recordBackup } from './backup.ts';
import { type Connection, retryWhileLocked } from './connection.ts';
import { createHome } from './home.ts';
import { TABLES } from './schema.ts';
import { createSeals } from './seals.ts';
import { VIEWS } from './views.ts';

// "PAWL" in ASCII: distinguishes our files from other databases.
const APPLICATION_ID = 0x5041574c;

/** A step from one version of the file to the next. */
export interface Migration {
  readonly version: number;
  readonly name: string;
  apply(connection: Connection): void;
}

/** All migrations, in order. A published one never changes. */
export const MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    name: 'tables, views and seals',
    apply: (connection) => {
      connection.db.exec(`PRAGMA application_id=${APPLICATION_ID}`);
      connection.db.exec(TABLES + VIEWS);
      createHome(connection);
      createSeals(connection);
    },
  },
];

/** Migrates the file to the newest version and returns it. A file of a newer version is rejected and not changed. */
export async function migrate(connection: Connection, now: () => number, migrations: readonly Migration[] = MIGRATIONS): Promise<number> {
  const newest = migrations.at(-1)?.version ?? 0;
  const version = await retryWhileLocked(connection, () => assertOurs(connection.db, connection.name, newest));
  await retryWhileLocked(connection, () => connection.db.exec('PRAGMA journal_mode=WAL'));
  if (version === newest) return newest;
  const saved = version === 0 ? undefined : await backUp(connection, version, now());
  // A new file is created in one transaction, because each commit waits for the disk.
  const batches = version === 0 ? [migrations] : migrations.map((migration) => [migration]);
  for (const batch of batches) await retryWhileLocked(connection, () => applyAll(connection, batch, now()));
  if (saved !== undefined) await retryWhileLocked(connection, () => recordBackup(connection, { ...saved, at: now() }));
  return newest;
}

/** The version of a file. */
export function versionOf(db: DatabaseSync): number {
  return db.prepare('PRAGMA user_version').get()?.user_version as number;
}

/** Returns the version of a file; one that is not a store, or is of a newer version, is rejected. */
export function assertOurs(db: DatabaseSync, name: string, newest: number): number {
  const version = versionOf(db);
  const isOurs = db.prepare('PRAGMA application_id').get()?.application_id === APPLICATION_ID;
  const isEmpty = db.prepare('SELECT count(*) AS n FROM sqlite_schema').get()?.n === 0;
  if (!isOurs && !isEmpty) {
    throw new EngineError('STORE_DAMAGED', `${name} is a database, but not a Pawl store; it was not changed; name another file`, {
      details: { file: name },
    });
  }
  if (version > newest) {
    const message = `${name} has file version ${version}, but this Pawl supports only versions up to ${newest}; the file was not changed; use a newer Pawl`;
    throw new EngineError('STORE_NEWER', message, { details: { file: name, version, newest } });
  }
  return version;
}

function applyAll(connection: Connection, migrations: readonly Migration[], now: number): void {
  const { db } = connection;
  transact(db, () => {
    for (const migration of migrations) applyOnce(connection, migration, now);
  });
}

function applyOnce(connection: Connection, migration: Migration, now: number): void {
  const { db } = connection;
  if (versionOf(db) >= migration.version) return;
  db.exec('CREATE TABLE IF NOT EXISTS migrations (version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at TEXT NOT NULL)');
  migration.apply(connection);
  const { version, name } = migration;
  db.prepare('INSERT INTO migrations (version, name, applied_at) VALUES (?, ?, ?)').run(version, name, new Date(now).toISOString());
  db.exec(`PRAGMA user_version=${migration.version}`);
}

async function backUp(connection: Connection, version: number, now: number): Promise<{ path: string; bytes: number } | undefined> {
  if (connection.path === undefined) return undefined;
  return copyDatabase(connection, `${connection.path}.backup-v${version}-${new Date(now).toISOString().replace(/[:.]/g, '-')}`);
}
