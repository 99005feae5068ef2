// Owns the small files of the user's state directory that several processes change: trusted files, tokens, agent
// sessions. Each is read, changed and replaced under one lock per folder, so that no change is lost.
//
// The lock is a transaction on an empty database: the system releases it when the process dies, so that there are no
// stale locks.
//
// `FILE.sum` has the digest of the last written content, so that reading detects a flipped bit or an older copy. It has two
// digests while the file is replaced. A file without a digest is accepted, and so is a removed file, unless it limits
// rights: removing a list of keys or tokens gives no rights, but removing a list of limits gives them to everyone.

import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { digestText } from '../base/digest.ts';
import { EngineError, isEngineError, messageOf, systemCodeOf } from '../base/error.ts';
import { createRunId } from '../base/id.ts';
import { readPlainFile } from '../base/plain-file.ts';

/** A file of the state directory, and what it contains, for messages: `the list of tokens`. */
interface StateFile {
  readonly file: string;
  readonly what: string;
  /** False for a file that changes often and whose damage does no harm. */
  readonly hasSum?: false;
  /** True for a file that limits rights: if it was removed and its checksum was not, that is an error. */
  readonly limits?: true;
}

const LOCK = 'lock.db';
const LOCK_WAIT_MS = 10_000;

/**
 * Runs `change` under the lock. The `text` it returns replaces the file, readable by its owner only; `null` deletes the
 * file, and undefined leaves it unchanged.
 */
export function changeStateFile<T>(of: StateFile, change: () => { readonly text?: string | null; readonly result: T }): T {
  try {
    mkdirSync(dirname(of.file), { recursive: true, mode: 0o700 });
    return withLock(of, () => {
      const { text, result } = change();
      if (text === null) {
        rmSync(of.file, { force: true });
        rmSync(sumOf(of.file), { force: true });
      } else if (text !== undefined) (of.hasSum === false ? replace : replaceWithSum)(of.file, text);
      return result;
    });
  } catch (cause) {
    if (isEngineError(cause)) throw cause;
    throw new EngineError('STORE_UNAVAILABLE', `cannot store ${of.what} in ${of.file}: ${messageOf(cause)}`, { cause });
  }
}

/** The text of a file of the state directory; undefined if there is none. A file that Pawl did not write is CONFIG_INVALID. */
export function readStateFile(of: StateFile): string | undefined {
  const read = (): { readonly text: string | undefined; readonly isVerified: boolean } => {
    const sums = textOf({ file: sumOf(of.file), what: `the checksum of ${of.what}` });
    const text = textOf(of);
    const isRemoved = text === undefined && of.limits !== true;
    return { text, isVerified: sums === undefined || isRemoved || (text !== undefined && sums.split('\n').includes(digestText(text))) };
  };
  const first = read();
  // Another process may have replaced it between the two reads.
  const { text, isVerified } = first.isVerified ? first : withLock(of, read);
  if (isVerified) return text;
  if (text === undefined)
    throw new EngineError(
      'CONFIG_INVALID',
      `${of.what} in ${of.file} was removed; restore a backup of it; if you removed it yourself, remove ${sumOf(of.file)}, too`,
      { details: { file: of.file } },
    );
  throw new EngineError(
    'CONFIG_INVALID',
    `${of.what} in ${of.file} is damaged, was edited or is an older copy: it differs from what Pawl wrote last; restore a backup of it; if you changed it yourself, remove ${sumOf(of.file)}`,
    { details: { file: of.file } },
  );
}

function sumOf(file: string): string {
  return `${file}.sum`;
}

function textOf({ file, what }: StateFile): string | undefined {
  try {
    return readPlainFile(file).toString('utf8');
  } catch (cause) {
    if (['ENOENT', 'ENOTDIR'].includes(systemCodeOf(cause) ?? '')) return undefined;
    throw new EngineError('CONFIG_INVALID', `cannot read ${what} in ${file}: ${messageOf(cause)}`, { cause });
  }
}

/** The locks that this process holds, so that a change can read the file. */
const held = new Set<string>();

function withLock<T>({ file, what }: StateFile, work: () => T): T {
  const path = join(dirname(file), LOCK);
  if (held.has(path)) return work();
  closeSync(openSync(path, 'a', 0o600));
  const lock = new DatabaseSync(path, { timeout: LOCK_WAIT_MS });
  try {
    acquire(lock, `another process is changing ${what} and has locked ${path} for ${LOCK_WAIT_MS / 1000} s; try again`);
    held.add(path);
    return work();
  } finally {
    held.delete(path);
    lock.close();
  }
}

function acquire(lock: DatabaseSync, busy: string): void {
  try {
    lock.exec('BEGIN IMMEDIATE');
  } catch (cause) {
    if (/locked|busy/i.test(messageOf(cause))) throw new EngineError('STORE_UNAVAILABLE', busy, { cause });
    throw cause;
  }
}

/** Replaces the file and its digest; a crash in between leaves both digests. */
function replaceWithSum(file: string, text: string): void {
  const before = textOf({ file, what: 'the file' });
  const sum = digestText(text);
  if (before !== undefined) replace(sumOf(file), `${digestText(before)}\n${sum}`);
  replace(file, text);
  replace(sumOf(file), sum);
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
