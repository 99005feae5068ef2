// Owns backups of a user's database: made while it is in use, verified, recorded in the database itself, limited in number.
//
// SD5. A copy gets its name only after it was verified, so a file with the name of a backup is complete.

import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { messageOf } from '../base/error.ts';
import { omitUndefined } from '../base/fields.ts';
import { databaseOf, transact } from '../base/sqlite.ts';
import { databaseFailure } from './failure.ts';
import { BACKUPS_TABLE, BUSY_MS, hasTable } from './names.ts';

/** Why a backup was made. Each kind is kept separately, so that many of one kind do not displace another. */
export type BackupReason = 'run' | 'migration' | 'restore' | 'request';

/** A backup. */
export interface BackupRecord {
  readonly id: string;
  readonly createdAt: string;
  readonly path: string;
  readonly bytes: number;
  /** The run before which it was made. */
  readonly runId?: string;
  /** When that run started, in milliseconds: a later run may have its id. */
  readonly runStartedAt?: number;
  readonly reason: BackupReason;
  /** True if the copy passed SQLite's integrity check. */
  readonly verified: boolean;
}

/** How a backup is made. */
export interface BackupOptions {
  readonly runId?: string;
  readonly runStartedAt?: number;
  /** Default: `run` with a run id, else `request`. */
  readonly reason?: BackupReason;
  readonly folder?: string;
  readonly keep?: number;
  readonly now?: () => number;
}

const PAGES_AT_ONCE = 1024;
/** How many backups of each kind are kept unless the options say otherwise. */
const KEEP_BACKUPS = 20;

/** Copies a database, verifies the copy, records it, and removes the oldest of its kind beyond the number to keep. */
export async function backUp(file: string, options: BackupOptions = {}): Promise<BackupRecord> {
  const record = await copyVerified(file, options);
  try {
    recordBackups(file, [record], options);
  } catch (cause) {
    // A copy without a record would never be found or removed.
    rmSync(record.path, { force: true });
    throw databaseFailure(cause, { action: `record a backup of ${file}`, file, state: 'nothing was changed' });
  }
  return record;
}

/** Copies the committed state of a database to a new file, and verifies the copy. */
export async function copyVerified(file: string, options: BackupOptions = {}): Promise<BackupRecord> {
  const at = new Date((options.now ?? Date.now)());
  const folder = resolve(options.folder ?? folderOf(file));
  const path = freeName(folder, file, at);
  const part = `${path}.part`;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    closeSync(openSync(part, 'wx', 0o600));
    await copyTo(part, file);
    const problem = checkCopy(part);
    if (problem !== undefined) throw new Error(`the copy is damaged: ${problem}`);
    sync(part);
    renameSync(part, path);
    sync(folder);
  } catch (cause) {
    if (existsSync(part)) rmSync(part);
    throw databaseFailure(cause, { action: `back up ${file} to ${path}`, file, state: 'nothing was changed', details: { path } });
  }
  const { runId, runStartedAt, reason = runId === undefined ? 'request' : 'run' } = options;
  const record = { id: randomUUID(), createdAt: at.toISOString(), path, bytes: statSync(path).size, reason, verified: true };
  return { ...record, ...omitUndefined({ runId, runStartedAt }) };
}

/**
 * Records a backup in its database.
 * @internal
 */
export function recordBackup(db: DatabaseSync, record: BackupRecord): void {
  const { bytes, runId, ...row } = record;
  createBackupsTable(db);
  databaseOf(db).insert(BACKUPS_TABLE, { ...row, workflowRunId: runId, sizeBytes: bytes }, 'ignore');
}

/**
 * Records backups in their database, and removes the oldest of the kind of the last one.
 * @internal
 */
export function recordBackups(file: string, records: readonly BackupRecord[], options: BackupOptions): void {
  withDatabase(file, (db) => {
    transact(db, () => {
      for (const record of records) recordBackup(db, record);
    });
    const last = records.at(-1);
    if (last !== undefined) removeOldest(db, file, { ...options, reason: last.reason });
  });
}

/** The recorded backups of a database, newest first. */
export function listBackups(file: string): BackupRecord[] {
  if (!existsSync(file)) return [];
  try {
    return withDatabase(file, readBackups);
  } catch (cause) {
    throw databaseFailure(cause, { action: `read the backups of ${file}`, file });
  }
}

/**
 * The files with the name of a backup that are not recorded: their records were lost with the database.
 * @internal
 */
export function unrecordedBackups(file: string, recorded: readonly BackupRecord[]): string[] {
  const folder = folderOf(file);
  if (!existsSync(folder)) return [];
  const known = new Set(recorded.map(({ path }) => path));
  const names = readdirSync(folder).filter((name) => name.startsWith(`${stemOf(file)}-`) && name.endsWith(extname(file)));
  return names
    .sort()
    .map((name) => join(folder, name))
    .filter((path) => !known.has(path));
}

/**
 * The recorded backups of an open database, newest first.
 * @internal
 */
export function readBackups(db: DatabaseSync): BackupRecord[] {
  if (!hasTable(db, BACKUPS_TABLE)) return [];
  const rows = db.prepare(`SELECT * FROM ${BACKUPS_TABLE} ORDER BY created_at DESC, rowid DESC`).all();
  return rows.map((row) => ({
    id: String(row.id),
    createdAt: String(row.created_at),
    path: String(row.path),
    bytes: Number(row.size_bytes),
    ...(typeof row.workflow_run_id === 'string' ? { runId: row.workflow_run_id } : {}),
    ...(typeof row.run_started_at === 'number' ? { runStartedAt: row.run_started_at } : {}),
    reason: (row.reason ?? 'request') as BackupReason,
    verified: row.verified === 1,
  }));
}

function createBackupsTable(db: DatabaseSync): void {
  db.exec(
    `CREATE TABLE IF NOT EXISTS ${BACKUPS_TABLE} (id TEXT PRIMARY KEY, created_at TEXT NOT NULL, path TEXT NOT NULL, workflow_run_id TEXT, size_bytes INTEGER)`,
  );
  const columns = db.prepare('SELECT name FROM pragma_table_info(?)').all(BACKUPS_TABLE);
  const add = (name: string, type: string): void => {
    if (!columns.some((column) => column.name === name)) db.exec(`ALTER TABLE ${BACKUPS_TABLE} ADD COLUMN ${name} ${type}`);
  };
  add('reason', "TEXT NOT NULL DEFAULT 'request'");
  add('verified', 'INTEGER NOT NULL DEFAULT 0');
  add('run_started_at', 'INTEGER');
}

/**
 * Removes the oldest backups of a kind beyond the number to keep. Anyone who can write the database can change a record, so
 * only files in the folder of backups with the name of a backup are removed.
 * @internal
 */
export function removeOldest(db: DatabaseSync, file: string, options: BackupOptions & { readonly reason: BackupReason }): void {
  const folder = resolve(options.folder ?? folderOf(file));
  const old = readBackups(db).filter((record) => record.reason === options.reason);
  for (const { id, path } of old.slice(options.keep ?? KEEP_BACKUPS)) {
    if (dirname(path) === folder && basename(path).startsWith(`${stemOf(file)}-`)) rmSync(path, { force: true });
    // The record that a run had its backup stays, or a later backup would be made and pass as the one before the run.
    if (options.reason !== 'run') db.prepare(`DELETE FROM ${BACKUPS_TABLE} WHERE id = ?`).run(id);
  }
}

/**
 * The default folder of the backups of a database.
 * @internal
 */
export function folderOf(file: string): string {
  return join(dirname(file), 'backups');
}

function stemOf(file: string): string {
  return basename(file, extname(file));
}

/**
 * Copies the committed state of a database to another file, page by page, so that rows keep their rowids.
 * @internal
 */
export async function copyTo(target: string, source: string): Promise<void> {
  using db = new DatabaseSync(source, { readOnly: true, timeout: BUSY_MS });
  await backup(db, target, { rate: PAGES_AT_ONCE });
}

/**
 * The damage of a copy; undefined if it is intact. Makes it a single file without a log.
 * @internal
 */
export function checkCopy(path: string): string | undefined {
  try {
    return withDatabase(path, (db) => {
      db.exec('PRAGMA journal_mode = DELETE');
      const result = String(db.prepare('PRAGMA integrity_check(1)').get()?.integrity_check);
      return result === 'ok' ? undefined : result;
    });
  } catch (error) {
    return messageOf(error);
  }
}

function withDatabase<T>(file: string, work: (db: DatabaseSync) => T): T {
  using db = new DatabaseSync(file, { timeout: BUSY_MS });
  return work(db);
}

/**
 * `backups/project-2026-01-31T09-30-00-000Z.db` for `project.db`.
 * @internal
 */
export function freeName(folder: string, file: string, at: Date): string {
  const extension = extname(file);
  const stem = `${stemOf(file)}-${at.toISOString().replace(/[:.]/g, '-')}`;
  for (let number = 1; ; number += 1) {
    const path = join(folder, `${stem}${number === 1 ? '' : `-${number}`}${extension}`);
    if (!existsSync(path) && !existsSync(`${path}.part`)) return path;
  }
}

/**
 * Waits until a file or a folder is on disk.
 * @internal
 */
export function sync(path: string): void {
  if (process.platform === 'win32') return;
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
