// Owns locks between processes: a lock file, which is released when the process that holds it ends.

import { closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';

const POLL_MS = 20;
const SQLITE_BUSY = 5;

/** Runs the work while no other holder of the same file does, here or in another process. */
export async function inTurn<T>(file: string, work: () => Promise<T>): Promise<T> {
  createPrivate(file);
  // The lock is a transaction in a separate file, since it is held while git or a network is waited for.
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

/** Creates a file that only its owner can read. SQLite gives the files beside it the same permissions. */
export function createPrivate(file: string): void {
  // An existing file is not opened: another part of this process may have it open and would lose its locks.
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
