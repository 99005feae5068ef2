// Owns the connection: the file and its modes, the pragmas, the prepared statements, and the wait for a lock.
//
// - The database and the files that SQLite keeps next to it are readable by the user only, whatever the umask.
// - While it is open, no file of it that SQLite has locks on is opened by anything else in this process
//   (`base/store-files.ts`).
// - A lock is waited for asynchronously: a blocked thread would freeze the watchdogs of running steps.

import { resolve } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { holdDatabase } from '../../base/store-files.ts';
import { uptimeMs } from '../../base/uptime.ts';
import { isBusy, toStoreError } from './failure.ts';
import { defineSum } from './seals.ts';

const BLOCK_MS = 2;
const PAUSE_MS_MAX = 16;
const CACHE_KIB = 16 * 1024;
const WAL_BYTES_MAX = 64 * 1024 * 1024;

/** How to open a connection. */
interface ConnectionOptions {
  readonly file: string;
  readonly synchronous: 'FULL' | 'NORMAL';
  readonly walAutocheckpoint: number;
  readonly busyMs: number;
  /** The origin that a new file gets when its tables are created. */
  readonly origin?: string | undefined;
}

/** An open database with its prepared statements. */
export interface Connection {
  readonly db: DatabaseSync;
  /** The absolute path; undefined in memory. */
  readonly path: string | undefined;
  /** The name for messages. */
  readonly name: string;
  readonly busyMs: number;
  /** The origin that a new or adopted file gets. */
  readonly origin: string | undefined;
  /** The statement for this SQL; prepared once. */
  sql(text: string): StatementSync;
  close(): void;
}

/** Opens the database without reading its content. */
export async function openConnection(options: ConnectionOptions): Promise<Connection> {
  const path = options.file === ':memory:' ? undefined : resolve(options.file);
  const db = new DatabaseSync(path ?? ':memory:', { timeout: BLOCK_MS, enableForeignKeyConstraints: false });
  defineSum(db);
  const statements = new Map<string, StatementSync>();
  const sql = (text: string): StatementSync => {
    let statement = statements.get(text);
    if (statement === undefined) {
      statement = db.prepare(text);
      statements.set(text, statement);
    }
    return statement;
  };
  const release = path === undefined ? () => {} : holdDatabase(path);
  const close = (): void => {
    if (db.isOpen) db.close();
    release();
  };
  const connection = { db, path, name: path ?? ':memory:', busyMs: options.busyMs, origin: options.origin, sql, close };
  try {
    await retryWhileLocked(connection, () => configure(db, options));
  } catch (error) {
    close();
    throw error;
  }
  return connection;
}

function configure(db: DatabaseSync, options: ConnectionOptions): void {
  db.exec(`PRAGMA synchronous=${options.synchronous}`);
  db.exec(`PRAGMA wal_autocheckpoint=${options.walAutocheckpoint}`);
  db.exec(`PRAGMA cache_size=-${CACHE_KIB}`);
  db.exec(`PRAGMA journal_size_limit=${WAL_BYTES_MAX}`);
  db.exec('PRAGMA temp_store=MEMORY');
}

/** Retries the work after short pauses while another connection holds the lock; throws STORE_UNAVAILABLE after `busyMs`. */
export async function retryWhileLocked<T>(connection: Pick<Connection, 'name' | 'busyMs'>, work: () => T): Promise<T> {
  const end = uptimeMs() + connection.busyMs;
  for (let round = 0; ; round += 1) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || uptimeMs() >= end) throw toStoreError(error, connection.name);
    }
    await pause(pauseMs(round));
  }
}

/** How long to wait before trying a lock again; random, so that two processes do not collide again. */
export function pauseMs(round: number): number {
  return 1 + Math.random() * Math.min(PAUSE_MS_MAX, 2 ** round);
}

/** Reads in one snapshot, so that a commit of another process is seen whole or not at all. */
export function readSnapshot<T>(connection: Connection, work: () => T): Promise<T> {
  return retryWhileLocked(connection, () => {
    connection.sql('BEGIN').run();
    try {
      return work();
    } finally {
      endRead(connection);
    }
  });
}

/** A string that changes with every write to the database, of this connection or of others. */
export function changeMark({ sql }: Connection): string {
  const found = sql('SELECT data_version AS others, total_changes() AS own FROM pragma_data_version').get();
  return `${found?.others} ${found?.own}`;
}

/** Ends a snapshot. After a page that could not be read, SQLite does not even commit a transaction that only read. */
function endRead({ db, sql }: Connection): void {
  try {
    if (db.isTransaction) sql('COMMIT').run();
  } catch (error) {
    if (isBusy(error)) throw error;
    if (db.isTransaction) sql('ROLLBACK').run();
  }
}
