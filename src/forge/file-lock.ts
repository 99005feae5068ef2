// Owns locks between the processes of one user, which are released when their process ends.

import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { createPrivateFile } from '../base/sqlite.ts';

const POLL_MS = 20;
const SQLITE_BUSY = 5;

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
