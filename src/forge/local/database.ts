// Owns the state file of the local forge: its tables, its transactions, and the memory of actions that were done.
//
// L1. An action, its key and its event are one transaction: all of it happened or none.
// L2. A writer rings after its commit, in this process by a call and to others by touching a file beside the database.
//     An event whose writer died before the ring is heard with the next one.

import { closeSync, type FSWatcher, openSync, utimes, watch } from 'node:fs';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { EngineError, messageOf } from '../../base/error.ts';
import { holdDatabase } from '../../base/store-files.ts';
import type { ForgeAnswer, ForgeEvent } from '../forge.ts';

const BUSY_MS = 5000;

const TABLES = `
  CREATE TABLE IF NOT EXISTS items (number INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, title TEXT NOT NULL,
    body TEXT NOT NULL, state TEXT NOT NULL, author TEXT NOT NULL, head TEXT, base TEXT, head_sha TEXT,
    base_sha TEXT, merge_sha TEXT, fork TEXT, draft INTEGER NOT NULL DEFAULT 0) STRICT;
  CREATE TABLE IF NOT EXISTS labels (id INTEGER PRIMARY KEY AUTOINCREMENT, number INTEGER NOT NULL, label TEXT NOT NULL,
    UNIQUE (number, label)) STRICT;
  CREATE TABLE IF NOT EXISTS comments (id INTEGER PRIMARY KEY AUTOINCREMENT, number INTEGER NOT NULL, author TEXT NOT NULL,
    body TEXT NOT NULL, at INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS reviews (id INTEGER PRIMARY KEY AUTOINCREMENT, number INTEGER NOT NULL, actor TEXT NOT NULL,
    head_sha TEXT NOT NULL, state TEXT NOT NULL, permission TEXT NOT NULL, bot INTEGER NOT NULL, at INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS checks (sha TEXT NOT NULL, name TEXT NOT NULL, status TEXT NOT NULL, conclusion TEXT,
    PRIMARY KEY (sha, name)) STRICT;
  CREATE TABLE IF NOT EXISTS notifications (id INTEGER PRIMARY KEY AUTOINCREMENT, target TEXT NOT NULL, people TEXT NOT NULL,
    message TEXT NOT NULL, number INTEGER, at INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS actions (key TEXT PRIMARY KEY, name TEXT NOT NULL, plan TEXT, value TEXT) STRICT;
  CREATE TABLE IF NOT EXISTS controls (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS events (id INTEGER PRIMARY KEY AUTOINCREMENT, event TEXT NOT NULL, at INTEGER NOT NULL,
    actor TEXT NOT NULL, issue INTEGER, pr INTEGER, label TEXT, sha TEXT) STRICT;
`;

/** A row as SQLite gives it. */
export type Row = Readonly<Record<string, unknown>>;

/** What happened, as it is written down; the database adds id, time and actor. */
export type NewEvent = Omit<ForgeEvent, 'id' | 'at' | 'actor'> & { readonly actor?: string };

/** The open state file of a local forge. */
export interface LocalDatabase {
  readonly now: () => number;
  /** The person whom the forge acts for. */
  readonly actor: string;
  get(sql: string, ...values: SQLInputValue[]): Row | undefined;
  all(sql: string, ...values: SQLInputValue[]): readonly Row[];
  /** Gives the id of the row that was inserted. */
  run(sql: string, ...values: SQLInputValue[]): number;
  /** All of the work in one transaction, then the ring. */
  write<T>(work: () => T): T;
  record(event: NewEvent): void;
  watch(callback: (event: ForgeEvent) => void): () => void;
  close(): void;
}

/** How to open the state file. */
export interface LocalDatabaseOptions {
  readonly file: string;
  readonly actor: string;
  readonly now: () => number;
}

/** Opens the state file, creating it where there is none. */
export function openLocalDatabase(options: LocalDatabaseOptions): LocalDatabase {
  const db = openFile(options.file);
  const letGo = holdDatabase(options.file);
  const query: Pick<LocalDatabase, 'get' | 'all' | 'run'> = {
    get: (sql, ...values) => db.prepare(sql).get(...values),
    all: (sql, ...values) => db.prepare(sql).all(...values),
    run: (sql, ...values) => Number(db.prepare(sql).run(...values).lastInsertRowid),
  };
  const bell = createBell(`${options.file}.bell`);
  return {
    ...query,
    now: options.now,
    actor: options.actor,
    write: (work) => {
      const value = transact(db, work);
      bell.ring();
      return value;
    },
    record: (event) => {
      query.run(
        'INSERT INTO events (event, at, actor, issue, pr, label, sha) VALUES (?, ?, ?, ?, ?, ?, ?)',
        event.event,
        options.now(),
        event.actor ?? options.actor,
        ...[event.issue, event.pr, event.label, event.sha].map((value) => value ?? null),
      );
    },
    watch: (callback) => follow(query, bell, callback),
    close: () => {
      bell.close();
      if (db.isOpen) db.close();
      letGo();
    },
  };
}

function openFile(file: string): DatabaseSync {
  try {
    createPrivate(file);
    const db = new DatabaseSync(file, { timeout: BUSY_MS });
    db.exec('PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL');
    transact(db, () => {
      db.exec(TABLES);
      addColumns(db);
    });
    return db;
  } catch (error) {
    const message = `the local forge cannot open its state file ${file}: ${messageOf(error)}; check the path and its rights`;
    throw new EngineError('STORE_UNAVAILABLE', message, { cause: error, details: { file } });
  }
}

/** Columns that files of earlier versions lack. */
function addColumns(db: DatabaseSync): void {
  const known = new Set(
    db
      .prepare('PRAGMA table_info(items)')
      .all()
      .map(({ name }) => name),
  );
  if (!known.has('fork')) db.exec('ALTER TABLE items ADD COLUMN fork TEXT');
  if (!known.has('draft')) db.exec('ALTER TABLE items ADD COLUMN draft INTEGER NOT NULL DEFAULT 0');
}

// SQLite gives what it puts beside the file the same rights.
function createPrivate(file: string): void {
  // One that is there is not opened: another part of this process may have it open, and would lose its locks.
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function transact<T>(db: DatabaseSync, work: () => T): T {
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

/** What was done under a key, if anything was; a key that stood for another action is refused. */
export function recall<T>(database: LocalDatabase, name: string, key: string): ForgeAnswer<T> | undefined {
  const row = database.get('SELECT name, value FROM actions WHERE key = ?', key);
  if (row === undefined) return undefined;
  if (row.name !== name)
    return { result: 'denied', message: `the key "${key}" was used for ${row.name}, so it cannot be used for ${name}` };
  return row.value === null ? undefined : { result: 'ok', value: JSON.parse(String(row.value)) as T };
}

/** Writes down what was done under a key; called in the transaction that does it. */
export function remember(database: LocalDatabase, action: { readonly name: string; readonly key: string }, value: object): void {
  database.run('INSERT OR REPLACE INTO actions (key, name, value) VALUES (?, ?, ?)', action.key, action.name, JSON.stringify(value));
}

interface Bell {
  ring(): void;
  listen(ear: () => void): () => void;
  close(): void;
}

function createBell(path: string): Bell {
  const ears = new Map<() => void, FSWatcher>();
  createPrivate(path);
  const deafen = (ear: () => void): void => {
    ears.get(ear)?.close();
    ears.delete(ear);
  };
  return {
    ring: () => {
      for (const ear of ears.keys()) queueMicrotask(() => ears.has(ear) && ear());
      const now = new Date();
      utimes(path, now, now, () => {});
    },
    listen: (ear) => {
      ears.set(ear, watch(path, ear));
      return () => deafen(ear);
    },
    close: () => {
      for (const ear of [...ears.keys()]) deafen(ear);
    },
  };
}

function follow(query: Pick<LocalDatabase, 'get' | 'all'>, bell: Bell, callback: (event: ForgeEvent) => void): () => void {
  let last = Number(query.get('SELECT coalesce(max(id), 0) AS id FROM events')?.id);
  let stopped = false;
  const look = (): void => {
    if (stopped) return;
    for (const row of query.all('SELECT * FROM events WHERE id > ? ORDER BY id', last)) {
      last = Number(row.id);
      callback(toEvent(row));
      if (stopped) return;
    }
  };
  const deafen = bell.listen(look);
  return () => {
    stopped = true;
    deafen();
  };
}

function toEvent(row: Row): ForgeEvent {
  return {
    id: String(row.id),
    event: String(row.event),
    at: Number(row.at),
    actor: String(row.actor),
    ...(row.issue === null ? {} : { issue: Number(row.issue) }),
    ...(row.pr === null ? {} : { pr: Number(row.pr) }),
    ...(row.label === null ? {} : { label: String(row.label) }),
    ...(row.sha === null ? {} : { sha: String(row.sha) }),
  };
}
