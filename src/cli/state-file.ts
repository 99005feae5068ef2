// Owns the small files of the user's state directory that several processes change: what is trusted, tokens, sessions of
// agents. Each is read, changed and replaced under one lock per folder, so that nobody's change is lost.
//
// The lock is a transaction on an empty database: the system lets go of it when the process that holds it dies, however
// it dies, so that there is no stale lock to recognise and nothing to clean up.

import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { EngineError, isEngineError, messageOf } from '../base/error.ts';
import { createRunId } from '../base/id.ts';

/** A file of the state directory, and what is in it, as messages say it: `what you trust`. */
export interface StateFile {
  readonly file: string;
  readonly what: string;
}

const LOCK = 'lock.db';
const PATIENCE_MS = 10_000;

/**
 * Does what reads a file and decides what it becomes, while nobody else does. What it gives as `text` replaces the file
 * whole, for its owner only; `null` removes it, and without `text` it stays as it is.
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
    throw new EngineError('STORE_UNAVAILABLE', `${of.what} cannot be kept in ${of.file}: ${messageOf(cause)}`, { cause });
  }
}

function locked<T>({ file, what }: StateFile, work: () => T): T {
  const path = join(dirname(file), LOCK);
  closeSync(openSync(path, 'a', 0o600));
  const lock = new DatabaseSync(path, { timeout: PATIENCE_MS });
  try {
    take(lock, `${what} is being changed by another process, which holds ${path} for ${PATIENCE_MS / 1000} s; try again`);
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

/** The file is whole at any time, and readable by its owner alone from the first moment. */
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
