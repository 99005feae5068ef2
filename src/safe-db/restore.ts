// Restores a backup over a user's database.
//
// SD6. Nothing is restored before the current database was copied; if it changes meanwhile, it is copied again.
// SD16. A damaged database cannot be copied, so it is moved to the backups unchanged, with the files next to it.

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
import { removeDatabase, SIDE_SUFFIXES } from './copy.ts';
import { databaseFailure, isBusy } from './failure.ts';
import { BUSY_MS } from './names.ts';

const ATTEMPTS_MAX = 5;
/**
 * Replaces a database with a backup, and returns the backup of the replaced database; undefined if there was none. A damaged
 * database is kept unchanged, and its record is not verified.
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
    // The restored file has only the records of earlier backups.
    recordBackups(file, [...known, record], restoring);
    return record;
  } catch (cause) {
    throw databaseFailure(cause, { action: `restore ${path} to ${file}`, file, details: { path } });
  }
}

interface Replacement {
  readonly record: BackupRecord;
  /** The backups that were recorded in the replaced database. */
  readonly known: readonly BackupRecord[];
}

async function saveAndReplace(file: string, path: string, options: BackupOptions): Promise<Replacement> {
  try {
    return await saveUnchanged(file, path, options);
  } catch (error) {
    if (!statSync(file).isFile() || !isDamaged(file)) throw error;
    return { record: await replaceDamaged(file, path, options), known: [] };
  }
}

/** Copies a database and replaces it only if it was not written meanwhile. Waits while another program writes. */
async function saveUnchanged(file: string, path: string, options: BackupOptions): Promise<Replacement> {
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
          // In one transaction, so that programs that have the database open continue with the restored content.
          await copyTo(file, path);
          return { record, known };
        }
      } catch (error) {
        failure = error;
      }
      // Nothing was replaced, so the copy is not needed.
      rmSync(record.path, { force: true });
      if (failure === undefined) continue;
      if (!isBusy(failure)) break;
      await setTimeout(BUSY_MS / ATTEMPTS_MAX);
    }
  } finally {
    db.close();
  }
  if (failure !== undefined) throw databaseFailure(failure, { action: `restore ${path} to ${file}`, file, state: 'nothing was changed' });
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

/** Moves a damaged database to the backups unchanged, and puts a backup in its place (SD16). */
async function replaceDamaged(file: string, path: string, options: BackupOptions): Promise<BackupRecord> {
  const at = new Date((options.now ?? Date.now)());
  const folder = resolve(options.folder ?? folderOf(file));
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const kept = `${freeName(folder, file, at)}.damaged`;
  const bytes = statSync(file).size;
  await putInPlace(file, path, kept);
  return { id: randomUUID(), createdAt: at.toISOString(), path: kept, bytes, reason: 'restore', verified: false };
}

/** Puts a copy in the place of a database. Its log is moved away too, because SQLite would apply it to the copy. */
async function putInPlace(file: string, path: string, kept?: string): Promise<void> {
  const part = `${file}.restoring`;
  mkdirSync(dirname(file), { recursive: true });
  removeDatabase(part);
  try {
    await copyTo(part, path);
    sync(part);
    for (const suffix of [...SIDE_SUFFIXES, '']) {
      if (kept === undefined) rmSync(`${file}${suffix}`, { force: true });
      else if (existsSync(`${file}${suffix}`)) renameSync(`${file}${suffix}`, `${kept}${suffix}`);
    }
    renameSync(part, file);
    sync(dirname(file));
  } finally {
    removeDatabase(part);
  }
}
