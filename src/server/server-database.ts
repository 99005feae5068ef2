// Owns the server's own database: sessions, people, tokens, deliveries and the like, in `<db>.server` beside the database of the
// runs. Each part of the server declares its tables as numbered migrations. A part stores secrets only as hashes.
//
// - The file is readable by the user only.
// - Two servers on one database of runs share it: a transaction takes the write lock first, and waits if the other has it.

import { statSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { EngineError, messageOf } from '../base/error.ts';
import { createPrivateFile } from '../store/sqlite/connection.ts';

/** The tables of one part of the server. A published migration never changes; new ones are appended. */
export interface PartTables {
  /** The part, such as `access`. */
  readonly part: string;
  /** SQL, from version 1 on. */
  readonly migrations: readonly string[];
}

/** A value of SQLite; written out, since published types do not need those of Node. */
type SqlValue = null | number | bigint | string | Uint8Array;

/** A row as SQLite returns it. */
export type ServerRow = Readonly<Record<string, SqlValue>>;

/** The database of a server. */
export interface ServerDatabase {
  /** The rows that a statement returns. */
  all(sql: string, ...values: SqlValue[]): readonly ServerRow[];
  /** The first row, if there is one. */
  get(sql: string, ...values: SqlValue[]): ServerRow | undefined;
  /** Runs a statement and returns how many rows it changed. */
  run(sql: string, ...values: SqlValue[]): number;
  /** Does all of `work` or nothing of it. Transactions cannot be nested. */
  transaction<T>(work: () => T): T;
  /** Throws STORE_GONE if the file was deleted or replaced since it was opened: other processes now use another file. */
  assertInPlace(): void;
  close(): void;
  [Symbol.dispose](): void;
}

/** The path of the server's database beside that of the runs; in memory for runs in memory. */
export function serverFileOf(runs: string): string {
  return runs === ':memory:' ? ':memory:' : `${runs}.server`;
}

const BUSY_MS = 5000;

/** Opens the database and migrates the tables of every part. NORMAL does not wait for the disk: for data that can be rebuilt. */
export function openServerDatabase(file: string, parts: readonly PartTables[], synchronous: 'FULL' | 'NORMAL' = 'FULL'): ServerDatabase {
  const db = openFile(file, synchronous);
  try {
    const database = createDatabase(db, file);
    database.transaction(() => {
      db.exec('CREATE TABLE IF NOT EXISTS parts (part TEXT PRIMARY KEY, version INTEGER NOT NULL) WITHOUT ROWID');
      for (const tables of parts) migratePart(db, file, tables);
    });
    return database;
  } catch (error) {
    db.close();
    throw error;
  }
}

function openFile(file: string, synchronous: 'FULL' | 'NORMAL'): DatabaseSync {
  try {
    if (file !== ':memory:') createPrivateFile(file);
    const db = new DatabaseSync(file, { enableForeignKeyConstraints: true });
    db.exec(`PRAGMA busy_timeout=${BUSY_MS}; PRAGMA journal_mode=WAL; PRAGMA synchronous=${synchronous}`);
    return db;
  } catch (cause) {
    throw new EngineError(
      'STORE_UNAVAILABLE',
      `cannot open the database of the server ${file}: ${messageOf(cause)}; check the path and its permissions`,
      { cause, details: { file } },
    );
  }
}

function migratePart(db: DatabaseSync, file: string, { part, migrations }: PartTables): void {
  const version = (db.prepare('SELECT version FROM parts WHERE part = ?').get(part)?.version as number | undefined) ?? 0;
  if (version > migrations.length)
    throw new EngineError(
      'STORE_NEWER',
      `${file} was written by a newer Pawl: its tables of "${part}" have version ${version}, and this Pawl supports ${migrations.length}; use a newer Pawl`,
      { details: { file, part, version } },
    );
  for (const sql of migrations.slice(version)) db.exec(sql);
  db.prepare('INSERT OR REPLACE INTO parts (part, version) VALUES (?, ?)').run(part, migrations.length);
}

function createDatabase(db: DatabaseSync, file: string): ServerDatabase {
  const opened = identityOf(file);
  const statements = new Map<string, StatementSync>();
  const prepared = (sql: string): StatementSync => {
    const known = statements.get(sql) ?? db.prepare(sql);
    statements.set(sql, known);
    return known;
  };
  return {
    all: (sql, ...values) => prepared(sql).all(...values),
    get: (sql, ...values) => prepared(sql).get(...values),
    run: (sql, ...values) => Number(prepared(sql).run(...values).changes),
    transaction: (work) => {
      db.exec('BEGIN IMMEDIATE');
      try {
        const result = work();
        db.exec('COMMIT');
        return result;
      } catch (error) {
        if (db.isTransaction) db.exec('ROLLBACK');
        throw error;
      }
    },
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
