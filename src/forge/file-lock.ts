// Owns files of one user that processes share: SQLite databases, and locks, which are released when their process ends.

import { closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { systemCodeOf } from '../base/error.ts';

const POLL_MS = 20;
const SQLITE_BUSY = 5;

const BUSY_MS = 5000;

/** Opens a SQLite database that only its owner can read. */
export function openPrivateDatabase(file: string): DatabaseSync {
  createPrivateFile(file);
  const db = new DatabaseSync(file, { timeout: BUSY_MS });
  db.exec('PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL');
  return db;
}

/** Runs the work while no other holder of the same file does, in this process or another one. */
export async function withFileLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  createPrivateFile(file);
  // The lock is a transaction in a separate file, because it is held during git commands and network requests.
  using db = new DatabaseSync(file, { timeout: 0 });
  while (!tryLock(db)) await setTimeout(POLL_MS);
  return await work();
}

function tryLock(db: DatabaseSync): boolean {
  try {
    db.exec('BEGIN EXCLUSIVE');
    return true;
  } catch (error) {
    if ((error as { readonly errcode?: number }).errcode === SQLITE_BUSY) return false;
    throw error;
  }
}

/** Creates a file that only its owner can read. SQLite creates the files beside it with the same permissions. */
export function createPrivateFile(file: string): void {
  // An existing file is not opened: another part of this process may have it open and would lose its locks.
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if (systemCodeOf(error) !== 'EEXIST') throw error;
  }
}
