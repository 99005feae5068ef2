// Owns which file a store is, and whose. A store knows where it was created. Opened elsewhere it may be a copy of runs
// that continue in the original, so it is read-only until somebody adopts it.
//
// - Nothing is written once the file, its log or the index of the log is not the one that SQLite has open: SQLite keeps
//   writing to a file that was removed, and nobody could ever read it.

import { randomUUID } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync, realpathSync, type Stats, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { EngineError } from '../../base/error.ts';
import type { Connection } from './connection.ts';

interface Place {
  readonly path: string;
  /** The file's number on its disk. The disk's own number is left out: it can change when the machine starts. */
  readonly inode: string;
}

/** Where a store is at home. */
export interface Home {
  /** Throws STORE_COPIED when the file is not the one the store was created as, STORE_GONE when it was removed. */
  assertHome(): void;
  /** False for a store that has lost its end and was not adopted since. */
  isWhole(): boolean;
  /** To be called after every write that reached the disk. */
  written(): void;
  close(): void;
  /** Makes this file the store's home, and whoever opened it its origin. Runs inside a transaction. */
  adopt(): void;
}

/** Reads where the store is at home; a new store is at home where it is. One that has lost its end is not written to. */
export function openHome(connection: Connection, lost: EngineError | undefined): Home {
  const { path } = connection;
  if (path === undefined)
    return { assertHome: () => {}, isWhole: () => true, written: () => {}, close: () => {}, adopt: () => adoptOrigin(connection) };
  let home = readHome(connection);
  let loss = lost;
  const here = placeOf(path);
  const watch = openWatch(path, readStoreId(connection));
  return {
    assertHome: () => {
      watch.look();
      if (loss !== undefined) throw loss;
      if (home !== undefined && (home.path !== here.path || home.inode !== here.inode)) throw copied(here, home);
    },
    isWhole: () => loss === undefined,
    written: watch.note,
    close: watch.close,
    adopt: () => {
      writeHome(connection, here);
      home = here;
      loss = undefined;
      adoptOrigin(connection);
    },
  };
}

/** The id of a store; its copies have the same. */
export function readStoreId(connection: Connection): string {
  return String(connection.sql("SELECT value FROM meta WHERE key = 'store_id'").get()?.value);
}

/** Gives a new store its id and its home. Runs inside the transaction that creates the tables. */
export function foundHome(connection: Connection): void {
  connection.sql("INSERT INTO meta (key, value) VALUES ('store_id', ?)").run(randomUUID());
  if (connection.path !== undefined) writeHome(connection, placeOf(connection.path));
  adoptOrigin(connection);
}

/** Whose store this is: the id under which it was created or adopted. */
export function readOrigin(connection: Connection): string | undefined {
  const found = connection.sql("SELECT value FROM meta WHERE key = 'origin'").get();
  return found === undefined ? undefined : String(found.value);
}

/** Records whose store this is, unless that is recorded; returns what is recorded. Runs inside a transaction. */
export function bindOrigin(connection: Connection, origin: string): string {
  connection.sql("INSERT INTO meta (key, value) VALUES ('origin', ?) ON CONFLICT DO NOTHING").run(origin);
  return readOrigin(connection) ?? origin;
}

function adoptOrigin(connection: Connection): void {
  if (connection.origin === undefined) return;
  connection
    .sql("INSERT INTO meta (key, value) VALUES ('origin', ?) ON CONFLICT DO UPDATE SET value = excluded.value")
    .run(connection.origin);
}

/** The files that SQLite has open, by what is put after the name. Each is there from its first use on. */
const SIDES = { '': 'file', '-wal': 'write-ahead log', '-shm': 'index of the write-ahead log' } as const;

interface Watch {
  /** Throws STORE_GONE when a file of the store was removed, replaced or cut off since it was opened. */
  look(): void;
  /** Remembers how long the log is after a write, so that the next look sees whether it was cut off. */
  note(): void;
  close(): void;
}

/** Watches the files of a store, which has an id of its own. */
function openWatch(path: string, id: unknown): Watch {
  const seen = new Map<string, Stats>();
  const log = openLogSize(`${path}-wal`);
  const file = openIdReader(path);
  const check = (side: keyof typeof SIDES): void => {
    const before = seen.get(side);
    const now = statSync(`${path}${side}`, { throwIfNoEntry: false });
    if (now === undefined) {
      if (before !== undefined || side === '') throw gone(path, `its ${SIDES[side]} was removed`);
      return;
    }
    if (before !== undefined && (before.ino !== now.ino || before.dev !== now.dev)) throw gone(path, `its ${SIDES[side]} was replaced`);
    // Only what is written back from the log changes the file, seldom enough to read each time whose file it is.
    if (side === '' && before !== undefined && before.mtimeMs !== now.mtimeMs && file.read() !== id)
      throw gone(path, 'another one was written over it');
    // Pruning makes a file shorter, and a checkpoint the log: both leave the store whole.
    const sizeBefore = side === '-wal' ? log.size : (before?.size ?? 0);
    if (side !== '-shm' && now.size < sizeBefore && !isWhole(path)) throw gone(path, `its ${SIDES[side]} was cut off`);
    if (side === '-wal') log.size = now.size;
    seen.set(side, now);
  };
  check('');
  let isChecked = false;
  const look = (): void => {
    // All writes of one turn of the event loop share a transaction, and one check.
    if (isChecked) return;
    check('');
    check('-wal');
    check('-shm');
    isChecked = true;
    setImmediate(() => {
      isChecked = false;
    });
  };
  const close = (): void => {
    file.close();
    log.close();
  };
  return { look, note: log.note, close };
}

/**
 * The size of the log as it was after the last write. It is asked for when a byte can be read after the last known end:
 * once the log is in use from its beginning again, it no longer grows. Asking after every write would make the next one
 * slower, because Linux keeps the times of a file exactly once they were asked for, and each sync then records them: 50 µs
 * a step. SQLite has no locks on the log: closing it drops none.
 */
function openLogSize(path: string): { size: number; note(): void; close(): void } {
  const byte = new Uint8Array(1);
  let descriptor: number | undefined;
  const log = {
    size: 0,
    note: () => {
      try {
        descriptor ??= openSync(path, 'r');
        if (readSync(descriptor, byte, 0, 1, log.size) === 1) log.size = fstatSync(descriptor).size;
      } catch {
        // The next look says what is wrong with the log.
      }
    },
    close: () => {
      if (descriptor !== undefined) closeSync(descriptor);
      descriptor = undefined;
    },
  };
  return log;
}

/**
 * Reads whose file it is, with a connection of its own: what the other has in its memory says nothing about the disk. It
 * stays open, because reading the schema takes a millisecond, and keeps no pages from one time to the next.
 */
function openIdReader(path: string): { read(): unknown; close(): void } {
  let db: DatabaseSync | undefined;
  const close = (): void => {
    db?.close();
    db = undefined;
  };
  const read = (): unknown => {
    try {
      db ??= new DatabaseSync(path, { readOnly: true });
      const found = db.prepare("SELECT value FROM meta WHERE key = 'store_id'").get();
      db.exec('PRAGMA shrink_memory');
      return found?.value;
    } catch {
      close();
      return undefined;
    }
  };
  return { read, close };
}

/** Whether the file is whole, read with a connection of its own: it sees the file as it is. */
function isWhole(path: string): boolean {
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(path, { readOnly: true });
    return db.prepare('PRAGMA quick_check(1)').get()?.quick_check === 'ok';
  } catch {
    return false;
  } finally {
    db?.close();
  }
}

/** The error of a store whose file is not there any more, or is another one. */
export function gone(path: string, what: string): EngineError {
  return new EngineError(
    'STORE_GONE',
    `the database ${path} is not the one that this process opened: ${what}; nothing further is executed, and what was done since may not be recorded; put the file back or restore a backup with "pawl restore FILE", check what was done, then resume`,
    { details: { file: path } },
  );
}

function readHome(connection: Connection): Place | undefined {
  const found = connection.sql("SELECT value FROM meta WHERE key = 'home'").get();
  return found === undefined ? undefined : parseHome(found.value);
}

/** The recorded home of a store. One that cannot be read is no file, so nothing is written until the store is adopted. */
export function parseHome(text: unknown): Place {
  try {
    return JSON.parse(String(text)) as Place;
  } catch {
    return { path: 'a path that cannot be read any more', inode: '' };
  }
}

function writeHome(connection: Connection, place: Place): void {
  connection
    .sql("INSERT INTO meta (key, value) VALUES ('home', ?) ON CONFLICT DO UPDATE SET value = excluded.value")
    .run(JSON.stringify(place));
}

function placeOf(path: string): Place {
  return { path: realpathSync(path), inode: String(statSync(path, { bigint: true }).ino) };
}

function copied(here: Place, home: Place): EngineError {
  const where = here.path === home.path ? `${here.path} (another file than the one created there)` : here.path;
  return new EngineError(
    'STORE_COPIED',
    `the store ${where} was created as ${home.path}: it is a copy, or was moved; if the original is no longer used, adopt this one with "pawl db adopt"; otherwise the same run could continue twice`,
    { details: { file: here.path, home: home.path } },
  );
}
