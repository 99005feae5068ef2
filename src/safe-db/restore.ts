// Restores a backup over a user's database.
//
// D6. Nothing is restored before the current database was copied; if it changes in the meantime, it is copied again.
// D16. A damaged database cannot be copied, so it is moved to the backups unchanged, with the files next to it.

import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { EngineError, messageOf } from '../base/error.ts';
import {
  type BackupOptions,
  type BackupRecord,
  checkCopy,
  copyTo,
  copyVerified,
  folderOf,
  freeName,
  readBackups,
  recordBackups,
  sync,
} from './backup.ts';
import { removeDatabase } from './copy.ts';
import { databaseFailure, isBusy } from './failure.ts';
import { BUSY_MS } from './names.ts';

const ATTEMPTS_MAX = 5;
const BESIDE = ['-journal', '-wal', '-shm'];

/**
 * Puts a backup in the place of a database, and returns the backup of what was there; undefined if nothing was there. If
 * that was damaged, it is kept as it is, and the record says that it is not verified.
 */
export async function restoreBackup(file: string, from: string, options: BackupOptions = {}): Promise<BackupRecord | undefined> {
  const path = resolve(from);
  const problem = existsSync(path) ? checkCopy(path) : 'the file does not exist';
  if (problem !== undefined)
    throw new EngineError('DATABASE_FAILED', `cannot restore ${path}: ${problem}; nothing was changed`, { details: { file, path } });
  const restoring = { ...options, reason: 'restore' as const };
  try {
    if (!existsSync(file)) {
      await putInPlace(file, path);
      return undefined;
    }
    const { record, known } = await saveAndReplace(file, path, restoring);
    // The restored file knows only the backups that were made before it.
    recordBackups(file, [...known, record], restoring);
    return record;
  } catch (cause) {
    throw databaseFailure(cause, { what: `restore ${path} to ${file}`, file, details: { path } });
  }
}

interface Replaced {
  readonly record: BackupRecord;
  /** The backups that were recorded in what was there. */
  readonly known: readonly BackupRecord[];
}

async function saveAndReplace(file: string, path: string, options: BackupOptions): Promise<Replaced> {
  try {
    return await saveUnchanged(file, path, options);
  } catch (error) {
    if (!statSync(file).isFile() || !isDamaged(file)) throw error;
    return { record: await replaceDamaged(file, path, options), known: [] };
  }
}

/** Copies a database and replaces it only if nobody wrote to it meanwhile. Waits while another program writes. */
async function saveUnchanged(file: string, path: string, options: BackupOptions): Promise<Replaced> {
  const db = new DatabaseSync(file, { timeout: BUSY_MS });
  const version = (): unknown => db.prepare('PRAGMA data_version').get()?.data_version;
  let failure: unknown;
  try {
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
      const before = version();
      const known = readBackups(db);
      const record = await copyVerified(file, options);
      failure = undefined;
      try {
        if (version() === before) {
          // In one transaction, so that programs that have the database open go on with what was restored.
          await copyTo(file, path);
          return { record, known };
        }
      } catch (error) {
        failure = error;
      }
      // Nothing was replaced, so nobody needs the copy.
      rmSync(record.path, { force: true });
      if (failure === undefined) continue;
      if (!isBusy(failure)) break;
      await setTimeout(BUSY_MS / ATTEMPTS_MAX);
    }
  } finally {
    db.close();
  }
  if (failure !== undefined) throw databaseFailure(failure, { what: `restore ${path} to ${file}`, file, state: 'nothing was changed' });
  throw new EngineError('DATABASE_FAILED', `${file} is being written constantly, so it was not replaced; stop the program that writes it`, {
    details: { file },
  });
}

function isDamaged(file: string): boolean {
  try {
    using db = new DatabaseSync(file, { readOnly: true, timeout: BUSY_MS });
    return db.prepare('PRAGMA integrity_check(1)').get()?.integrity_check !== 'ok';
  } catch (error) {
    return !isBusy(error) && /not a database|malformed/.test(messageOf(error));
  }
}

/** Keeps a damaged database as it is, and puts a backup in its place (D16). */
async function replaceDamaged(file: string, path: string, options: BackupOptions): Promise<BackupRecord> {
  const at = new Date((options.now ?? Date.now)());
  const folder = resolve(options.folder ?? folderOf(file));
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const kept = `${freeName(folder, file, at)}.damaged`;
  const bytes = statSync(file).size;
  await putInPlace(file, path, kept);
  return { id: randomUUID(), createdAt: at.toISOString(), path: kept, bytes, reason: 'restore', verified: false };
}

/** Puts a copy where a database was, and moves what is there away: a log that is left beside it would be applied to the copy. */
async function putInPlace(file: string, path: string, kept?: string): Promise<void> {
  const part = `${file}.restoring`;
  mkdirSync(dirname(file), { recursive: true });
  removeDatabase(part);
  try {
    await copyTo(part, path);
    sync(part);
    for (const end of [...BESIDE, ''])
      if (existsSync(`${file}${end}`)) {
        if (kept === undefined) rmSync(`${file}${end}`);
        else renameSync(`${file}${end}`, `${kept}${end}`);
      }
    renameSync(part, file);
    sync(dirname(file));
  } finally {
    removeDatabase(part);
  }
}
