// Owns the home and the origin of a store: the file it was created as, and the machine and user that created it. Opened
// elsewhere it may be a copy of runs that continue in the original, so it is read-only until a person adopts it.
//
// - Nothing is written once the file, its log or the index of the log is not the one that SQLite has open: SQLite keeps
//   writing to a removed file, which can never be read again.

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

/** The home of an open store. */
export interface Home {
  /** Throws STORE_COPIED when the file is not the one the store was created as, STORE_GONE when it was removed. */
  assertHome(): void;
  /** False for a store that has lost its end and was not adopted since. */
  isWhole(): boolean;
  /** Must be called after every write that reached the disk. */
  noteWrite(): void;
  close(): void;
  /** Makes this file the store's home and records the origin of this connection. Runs inside a transaction. */
  adopt(): void;
}

/** Opens the home of a store; one that has lost its end rejects every write with `lost`. */
export function openHome(connection: Connection, lost: EngineError | undefined): Home {
  const { path } = connection;
  if (path === undefined)
    return { assertHome: () => {}, isWhole: () => true, noteWrite: () => {}, close: () => {}, adopt: () => adoptOrigin(connection) };
  let home = readHome(connection);
  let loss = lost;
  const here = placeOf(path);
  const files = openFileGuard(path, readStoreId(connection));
  return {
    assertHome: () => {
      files.assertSame();
      if (loss !== undefined) throw loss;
      if (home !== undefined && (home.path !== here.path || home.inode !== here.inode)) throw storeCopied(here, home);
    },
    isWhole: () => loss === undefined,
    noteWrite: files.noteWrite,
    close: files.close,
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

/** Records the id, home and origin of a new store. Runs inside the transaction that creates the tables. */
export function createHome(connection: Connection): void {
  connection.sql("INSERT INTO meta (key, value) VALUES ('store_id', ?)").run(randomUUID());
  if (connection.path !== undefined) writeHome(connection, placeOf(connection.path));
  adoptOrigin(connection);
}

/** The origin under which the store was created or adopted. */
export function readOrigin(connection: Connection): string | undefined {
  const found = connection.sql("SELECT value FROM meta WHERE key = 'origin'").get();
  return found === undefined ? undefined : String(found.value);
}

/** Records the origin unless one is recorded already; returns the recorded one. Runs inside a transaction. */
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

/** The files that SQLite has open, by suffix. Each exists from its first use on. */
const SIDES = { '': 'file', '-wal': 'write-ahead log', '-shm': 'index of the write-ahead log' } as const;

interface FileGuard {
  /** Throws STORE_GONE when a file of the store was removed, replaced or cut off since it was opened. */
  assertSame(): void;
  /** Records how long the log is after a write, so that `assertSame` can tell whether it was cut off. */
  noteWrite(): void;
  close(): void;
}

function openFileGuard(path: string, id: unknown): FileGuard {
  const seen = new Map<string, Stats>();
  const log = openLogSize(`${path}-wal`);
  const file = openIdReader(path);
  const check = (side: keyof typeof SIDES): void => {
    const before = seen.get(side);
    const now = statSync(`${path}${side}`, { throwIfNoEntry: false });
    if (now === undefined) {
      if (before !== undefined || side === '') throw storeGone(path, `its ${SIDES[side]} was removed`);
      return;
    }
    if (before !== undefined && (before.ino !== now.ino || before.dev !== now.dev))
      throw storeGone(path, `its ${SIDES[side]} was replaced`);
    // The file changes only when the log is written back to it, so reading the store's id each time is cheap.
    if (side === '' && before !== undefined && before.mtimeMs !== now.mtimeMs && file.read() !== id)
      throw storeGone(path, 'another one was written over it');
    // Pruning shortens the file and a checkpoint shortens the log; both leave the store whole.
    const sizeBefore = side === '-wal' ? log.size : (before?.size ?? 0);
    if (side !== '-shm' && now.size < sizeBefore && !isWhole(path)) throw storeGone(path, `its ${SIDES[side]} was cut off`);
    if (side === '-wal') log.size = now.size;
    seen.set(side, now);
  };
  check('');
  let isChecked = false;
  const assertSame = (): void => {
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
  return { assertSame, noteWrite: log.noteWrite, close };
}

/**
 * The size of the log after the last write. `fstat` is called only if a byte can be read after the last known end: after a
 * `stat`, Linux keeps the exact times of the file, and the sync of the next write has to record them, which takes 50 µs.
 * SQLite has no locks on the log, so closing it drops none.
 */
function openLogSize(path: string): { size: number; noteWrite(): void; close(): void } {
  const byte = new Uint8Array(1);
  let descriptor: number | undefined;
  const log = {
    size: 0,
    noteWrite: () => {
      try {
        descriptor ??= openSync(path, 'r');
        if (readSync(descriptor, byte, 0, 1, log.size) === 1) log.size = fstatSync(descriptor).size;
      } catch {
        // The next `assertSame` reports the problem.
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
 * Reads the id of the store on the disk with a separate connection, because that of the store has pages in memory. It stays
 * open, because reading the schema takes a millisecond, and keeps no pages between reads.
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

/** Whether the file is intact, read with a new connection, which has no pages in memory. */
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

/** The error of a store whose file was removed or replaced. */
export function storeGone(path: string, reason: string): EngineError {
  return new EngineError(
    'STORE_GONE',
    `the database ${path} is not the one that this process opened: ${reason}; nothing further is executed, and recent work may not be recorded; put the file back or restore a backup with "pawl restore FILE", check what was done, then resume`,
    { details: { file: path } },
  );
}

function readHome(connection: Connection): Place | undefined {
  const found = connection.sql("SELECT value FROM meta WHERE key = 'home'").get();
  return found === undefined ? undefined : parseHome(found.value);
}

/** The recorded home of a store. A home that cannot be parsed matches no file, so nothing is written until the store is adopted. */
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

function storeCopied(here: Place, home: Place): EngineError {
  const where = here.path === home.path ? `${here.path} (another file than the one created there)` : here.path;
  return new EngineError(
    'STORE_COPIED',
    `the store ${where} was created as ${home.path}: it is a copy, or was moved; if the original is no longer used, adopt this one with "pawl db adopt"; otherwise the same run could continue twice`,
    { details: { file: here.path, home: home.path } },
  );
}
