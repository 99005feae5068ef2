// Owns the small files of the user's state directory that several processes change: trusted files, tokens, agent
// sessions. Each is read, changed and replaced under one lock per folder, so that no change is lost.
//
// The lock is a transaction on an empty database: the system releases it when the process dies, so that there are no
// stale locks.

import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { EngineError, isEngineError, messageOf } from '../base/error.ts';
import { createRunId } from '../base/id.ts';

/** A file of the state directory, and what it contains, for messages: `the list of tokens`. */
export interface StateFile {
  readonly file: string;
  readonly what: string;
}

const LOCK = 'lock.db';
const PATIENCE_MS = 10_000;

/**
 * Runs `change` under the lock. The `text` it returns replaces the file, readable by its owner only; `null` deletes the
 * file, and undefined leaves it unchanged.
 */
export function changeStateFile<T>(of: StateFile, change: () => { readonly text?: string | null; readonly result: T }): T {
  try {
    mkdirSync(dirname(of.file), { recursive: true, mode: 0o700 });
    return locked(of, () => {
      const { text, result } = change();
      if (text === null) rmSync(of.file, { force: true });
      else if (text !== undefined) replace(of.file, text);
      return result;
    });
  } catch (cause) {
    if (isEngineError(cause)) throw cause;
    throw new EngineError('STORE_UNAVAILABLE', `cannot store ${of.what} in ${of.file}: ${messageOf(cause)}`, { cause });
  }
}

function locked<T>({ file, what }: StateFile, work: () => T): T {
  const path = join(dirname(file), LOCK);
  closeSync(openSync(path, 'a', 0o600));
  const lock = new DatabaseSync(path, { timeout: PATIENCE_MS });
  try {
    take(lock, `another process is changing ${what} and has locked ${path} for ${PATIENCE_MS / 1000} s; try again`);
    return work();
  } finally {
    lock.close();
  }
}

function take(lock: DatabaseSync, busy: string): void {
  try {
    lock.exec('BEGIN IMMEDIATE');
  } catch (cause) {
    if (/locked|busy/i.test(messageOf(cause))) throw new EngineError('STORE_UNAVAILABLE', busy, { cause });
    throw cause;
  }
}

/** Replaces the file atomically; it is readable by its owner only from the start. */
function replace(file: string, text: string): void {
  const fresh = `${file}.${createRunId()}`;
  try {
    const open = openSync(fresh, 'wx', 0o600);
    try {
      writeFileSync(open, text);
      fsyncSync(open);
    } finally {
      closeSync(open);
    }
    chmodSync(fresh, 0o600);
    renameSync(fresh, file);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
}
