// Owns small SQLite databases of one user: a file that only the owner can read, prepared statements, inserts and transactions.
// The store of the runs has its own connection (`store/sqlite/connection.ts`).

import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { systemCodeOf } from './error.ts';
import { columnOf, type Database } from './sql-row.ts';

/** How long a statement waits for the lock of another process. */
const BUSY_MS = 5000;

/** Creates a file that only its owner can read, if there is none. True when it was created. SQLite gives the files beside it the same mode. */
export function createPrivateFile(path: string): boolean {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // An existing file is not opened: another part of this process may have it open and would lose its locks.
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (systemCodeOf(error) === 'EEXIST') return false;
    throw error;
  }
  chmodSync(path, 0o600);
  return true;
}

/** Opens a database that only its owner can read, in WAL mode; `:memory:` is one without a file. */
export function openPrivateDatabase(
  file: string,
  { synchronous = 'FULL' }: { readonly synchronous?: 'FULL' | 'NORMAL' } = {},
): DatabaseSync {
  if (file !== ':memory:') createPrivateFile(file);
  const db = new DatabaseSync(file, { timeout: BUSY_MS });
  db.exec(`PRAGMA journal_mode=WAL; PRAGMA synchronous=${synchronous}`);
  return db;
}

/** The statements of an open database. */
export function databaseOf(db: DatabaseSync): Database {
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
    insert: (table, row, onConflict) => {
      const fields = Object.keys(row);
      const into = `INSERT ${onConflict === 'replace' ? 'OR REPLACE ' : ''}INTO ${table} (${fields.map(columnOf).join(', ')})`;
      const ending = onConflict === 'ignore' ? ' ON CONFLICT DO NOTHING' : '';
      const values = Object.values(row).map((value) => (typeof value === 'boolean' ? Number(value) : (value ?? null)));
      const statement = prepared(`${into} VALUES (${fields.map(() => '?').join(', ')})${ending}`);
      const { changes, lastInsertRowid } = statement.run(...values);
      return { isNew: Number(changes) > 0, id: Number(lastInsertRowid) };
    },
    transaction: (work) => transact(db, work),
  };
}

/** Does all of `work` or nothing of it, with the write lock. */
export function transact<T>(db: DatabaseSync, work: () => T): T {
  db.exec('BEGIN IMMEDIATE');
  try {
    const value = work();
    db.exec('COMMIT');
    return value;
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}
