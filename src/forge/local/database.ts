// Owns the state file of the local forge: its tables, its transactions, and the record of completed actions.
//
// - An action, its key and its event are one transaction.
// - After its commit a writer notifies this process by a call and others by touching a file next to the database. If the
//   writer died before that, its event is delivered with the next one.

import { type FSWatcher, statSync, utimes, watch } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { EngineError, messageOf } from '../../base/error.ts';
import { omitUndefined } from '../../base/fields.ts';
import { type Database, number, optional, rowAs, type SqlRow, text } from '../../base/sql-row.ts';
import { createPrivateFile, databaseOf, openPrivateDatabase, transact } from '../../base/sqlite.ts';
import { holdDatabase } from '../../base/store-files.ts';
import { withFileLock } from '../file-lock.ts';
import type { Forge, ForgeEvent, WatchOptions } from '../forge.ts';
import { deny } from '../refusal.ts';

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
  CREATE TABLE IF NOT EXISTS discussions (number INTEGER PRIMARY KEY, title TEXT NOT NULL, body TEXT NOT NULL, author TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS discussion_replies (id INTEGER PRIMARY KEY AUTOINCREMENT, number INTEGER NOT NULL, author TEXT NOT NULL,
    body TEXT NOT NULL, at INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS people (number INTEGER NOT NULL, role TEXT NOT NULL, login TEXT NOT NULL,
    PRIMARY KEY (number, role, login)) STRICT;
  CREATE TABLE IF NOT EXISTS milestones (number INTEGER PRIMARY KEY, title TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS accounts (login TEXT PRIMARY KEY, permission TEXT NOT NULL, bot INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS teams (name TEXT NOT NULL, login TEXT NOT NULL, PRIMARY KEY (name, login)) STRICT;
  CREATE TABLE IF NOT EXISTS reactions (comment INTEGER NOT NULL, actor TEXT NOT NULL, reaction TEXT NOT NULL,
    PRIMARY KEY (comment, actor, reaction)) STRICT;
  CREATE TABLE IF NOT EXISTS required_checks (branch TEXT NOT NULL, name TEXT NOT NULL, PRIMARY KEY (branch, name)) STRICT;
`;

/** Columns that files of older versions do not have. */
const NEWER_COLUMNS: readonly (readonly [table: string, column: string])[] = [
  ['events', 'comment TEXT'],
  ['comments', 'edited INTEGER NOT NULL DEFAULT 0'],
  ['reviews', "body TEXT NOT NULL DEFAULT ''"],
  ['checks', 'workflow TEXT'],
  ['checks', 'own INTEGER NOT NULL DEFAULT 0'],
  ['actions', 'at INTEGER NOT NULL DEFAULT 0'],
];

/** A new event; the database adds id, time and actor. */
export type NewEvent = Omit<ForgeEvent, 'id' | 'at'>;

/** The open state file of a local forge. */
export interface LocalDatabase extends Pick<Database, 'get' | 'all' | 'run' | 'insert'> {
  readonly now: () => number;
  /** The person whom the forge acts for. */
  readonly actor: string;
  /** Runs the work in one transaction, then notifies. */
  write<T>(work: () => T): T;
  /** Runs the work while no other process does such work. The lock of a process ends with it. */
  exclusively<T>(work: () => Promise<T>): Promise<T>;
  record(event: NewEvent): void;
  watch: Forge['watch'];
  close(): void;
}

/** Options for opening the state file. */
interface LocalDatabaseOptions {
  readonly file: string;
  readonly actor: string;
  readonly now: () => number;
}

/** Opens the state file, creating it if needed. */
export function openLocalDatabase(options: LocalDatabaseOptions): LocalDatabase {
  const db = openFile(options.file);
  const release = holdDatabase(options.file);
  const { transaction, ...query } = databaseOf(db);
  const notifier = createNotifier(`${options.file}.notifier`);
  return {
    ...query,
    now: options.now,
    actor: options.actor,
    write: (work) => {
      const value = transaction(work);
      notifier.notify();
      return value;
    },
    exclusively: (work) => withFileLock(`${options.file}.turn`, work),
    record: ({ event, actor = options.actor, issue, pr, label, sha, comment }) =>
      void query.insert('events', { event, at: options.now(), actor, issue, pr, label, sha, comment }),
    watch: (callback, options) => follow(query, notifier, { callback, ...options }),
    close: () => {
      notifier.close();
      if (db.isOpen) db.close();
      release();
    },
  };
}

function openFile(file: string): DatabaseSync {
  try {
    // A folder with a misspelt name is an error; it is not created.
    statSync(dirname(file));
    const db = openPrivateDatabase(file);
    transact(db, () => {
      db.exec(TABLES);
      for (const [table, column] of NEWER_COLUMNS) addColumn(db, table, column);
    });
    return db;
  } catch (error) {
    const message = `the local forge cannot open its state file ${file}: ${messageOf(error)}; check the path and its permissions`;
    throw new EngineError('STORE_UNAVAILABLE', message, { cause: error, details: { file } });
  }
}

function addColumn(db: DatabaseSync, table: string, column: string): void {
  const known = db.prepare('SELECT name FROM pragma_table_info(?)').all(table);
  if (!known.some(({ name }) => column.startsWith(`${name} `))) db.exec(`ALTER TABLE ${table} ADD COLUMN ${column}`);
}

/** The name and the key of an action. */
export interface KeyedAction {
  readonly name: string;
  readonly key: string;
}

/** Does an action in one transaction, or returns the first result if it was done under its key before. */
export function doOnce<T extends object>(database: LocalDatabase, action: KeyedAction, work: () => T): T {
  return database.write(() => {
    const done = recall<T>(database, action);
    if (done !== undefined) return done;
    const value = work();
    database.insert('actions', { ...action, value: JSON.stringify(value), at: database.now() }, 'replace');
    return value;
  });
}

/** Returns the result recorded under a key, if any. A key that was used for another action is rejected. */
export function recall<T>(database: LocalDatabase, { name, key }: KeyedAction): T | undefined {
  const row = database.get('SELECT name, value FROM actions WHERE key = ?', key);
  if (row === undefined) return undefined;
  if (row.name !== name) deny(`the key "${key}" was used for ${row.name}, so it cannot be used for ${name}`);
  return row.value === null ? undefined : (JSON.parse(String(row.value)) as T);
}

interface Notifier {
  notify(): void;
  subscribe(listener: () => void): () => void;
  close(): void;
}

function createNotifier(path: string): Notifier {
  const watchers = new Map<() => void, FSWatcher>();
  createPrivateFile(path);
  const unsubscribe = (listener: () => void): void => {
    watchers.get(listener)?.close();
    watchers.delete(listener);
  };
  return {
    notify: () => {
      for (const listener of watchers.keys()) queueMicrotask(() => watchers.has(listener) && listener());
      const now = new Date();
      utimes(path, now, now, () => {});
    },
    subscribe: (listener) => {
      watchers.set(listener, watch(path, listener));
      return () => unsubscribe(listener);
    },
    close: () => {
      for (const listener of [...watchers.keys()]) unsubscribe(listener);
    },
  };
}

type Subscription = WatchOptions & { readonly callback: (event: ForgeEvent) => void };

function follow(query: Pick<LocalDatabase, 'get' | 'all'>, notifier: Notifier, { callback, after, begun }: Subscription): () => void {
  let last = Number(after ?? query.get('SELECT coalesce(max(id), 0) AS id FROM events')?.id);
  if (after === undefined) begun?.(String(last));
  let stopped = false;
  const deliver = (): void => {
    if (stopped) return;
    for (const row of query.all('SELECT * FROM events WHERE id > ? ORDER BY id', last)) {
      last = Number(row.id);
      callback(toEvent(row));
      if (stopped) return;
    }
  };
  const unsubscribe = notifier.subscribe(deliver);
  if (after !== undefined) queueMicrotask(deliver);
  return () => {
    stopped = true;
    unsubscribe();
  };
}

function toEvent(row: SqlRow): ForgeEvent {
  const { id, ...event } = eventRow(row);
  return { id: String(id), cursor: String(id), ...omitUndefined(event) };
}

const eventRow = rowAs({
  ...{ id: number, event: text, at: number, actor: text, issue: optional(number), pr: optional(number) },
  ...{ label: optional(text), sha: optional(text), comment: optional(text) },
});
