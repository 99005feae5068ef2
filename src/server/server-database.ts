// Owns the server's own database: sessions, people, tokens, deliveries and the like, in `<db>.server` next to the database of the
// runs. Each part of the server declares its tables as numbered migrations. A part stores secrets only as hashes.
//
// - The file is readable by the user only.
// - Two servers on one database of runs share it: a transaction takes the write lock first, and waits if the other has it.

import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { EngineError, messageOf } from '../base/error.ts';
import type { Database } from '../base/sql-row.ts';
import { databaseOf, openPrivateDatabase } from '../base/sqlite.ts';

/** The tables of one part of the server. A published migration never changes; new ones are appended. */
export interface PartTables {
  /** The part, such as `access`. */
  readonly part: string;
  /** SQL, from version 1 on. */
  readonly migrations: readonly string[];
}

/** The database of a server. */
export interface ServerDatabase extends Database {
  /** Throws STORE_GONE if the file was deleted or replaced since it was opened: other processes now use another file. */
  assertInPlace(): void;
  close(): void;
  [Symbol.dispose](): void;
}

/** The path of the server's database, next to that of the runs; in memory for runs in memory. */
export function serverFileOf(runs: string): string {
  return runs === ':memory:' ? ':memory:' : `${runs}.server`;
}

/** Opens the database and migrates the tables of every part. NORMAL does not wait for the disk: for data that can be rebuilt. */
export function openServerDatabase(file: string, parts: readonly PartTables[], synchronous: 'FULL' | 'NORMAL' = 'FULL'): ServerDatabase {
  const db = openFile(file, synchronous);
  try {
    const database = createDatabase(db, file);
    database.transaction(() => {
      db.exec('CREATE TABLE IF NOT EXISTS parts (part TEXT PRIMARY KEY, version INTEGER NOT NULL) WITHOUT ROWID');
      for (const tables of parts) migratePart({ db, file, database }, tables);
    });
    return database;
  } catch (error) {
    db.close();
    throw error;
  }
}

function openFile(file: string, synchronous: 'FULL' | 'NORMAL'): DatabaseSync {
  try {
    return openPrivateDatabase(file, { synchronous });
  } catch (cause) {
    throw new EngineError(
      'STORE_UNAVAILABLE',
      `cannot open the database of the server ${file}: ${messageOf(cause)}; check the path and its permissions`,
      { cause, details: { file } },
    );
  }
}

interface MigratedFile {
  readonly db: DatabaseSync;
  readonly file: string;
  readonly database: Database;
}

function migratePart({ db, file, database }: MigratedFile, { part, migrations }: PartTables): void {
  const version = Number(database.get('SELECT version FROM parts WHERE part = ?', part)?.version ?? 0);
  if (version > migrations.length)
    throw new EngineError(
      'STORE_NEWER',
      `${file} was written by a newer Pawl: its tables of "${part}" have version ${version}, and this Pawl supports ${migrations.length}; use a newer Pawl`,
      { details: { file, part, version } },
    );
  for (const sql of migrations.slice(version)) db.exec(sql);
  database.insert('parts', { part, version: migrations.length }, 'replace');
}

function createDatabase(db: DatabaseSync, file: string): ServerDatabase {
  const opened = identityOf(file);
  return {
    ...databaseOf(db),
    assertInPlace: () => {
      if (identityOf(file) === opened) return;
      throw new EngineError(
        'STORE_GONE',
        `the database of the server ${file} was deleted or replaced while it was in use; start the server again`,
        { details: { file } },
      );
    },
    close: () => db.close(),
    [Symbol.dispose]: () => db.close(),
  };
}

/** Identifies a file, so that another one under the same name differs. */
function identityOf(file: string): string | undefined {
  if (file === ':memory:') return file;
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat === undefined ? undefined : `${stat.dev}/${stat.ino}`;
}
