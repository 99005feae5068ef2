// Owns the migrations of a user's database: numbered files, applied in order, each recorded with its checksum.
//
// SD7. The write lock is taken before anything is read and held until all files are applied, so two programs never apply
//     the same file. All files of one call are one transaction: a crash or an error leaves the database unchanged.
// SD8. An applied file cannot be edited, removed or preceded by a new file; the call fails and names the file.
// SD9. A file that drops or deletes is applied only if the caller allows loss of data.

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { constants, DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { digestText } from '../base/digest.ts';
import { EngineError, messageOf } from '../base/error.ts';
import { number, rowAs, text } from '../base/sql-row.ts';
import { databaseOf } from '../base/sqlite.ts';
import { type BackupOptions, type BackupRecord, copyVerified, recordBackup, removeOldest } from './backup.ts';
import { databaseFailure, isDatabaseFailure } from './failure.ts';
import { BUSY_MS, hasTable, MIGRATIONS_TABLE } from './names.ts';

/** A file of the migrations folder. */
export interface MigrationFile {
  readonly number: number;
  /** The name of the file: `001_create_chapters.sql`. */
  readonly name: string;
  readonly checksum: string;
}

/** The applied and the pending migrations, and their problems. */
export interface MigrationStatus {
  readonly applied: readonly (MigrationFile & { readonly appliedAt: string })[];
  readonly pending: readonly MigrationFile[];
  /** The reasons why nothing can be applied. */
  readonly problems: readonly string[];
}

/** How migrations are applied. */
export interface MigrateOptions extends Pick<BackupOptions, 'folder' | 'keep' | 'now'> {
  /** Allows files that drop tables or columns, or delete rows. */
  readonly allowLoss?: boolean;
  /** How long to wait while another program writes; default 5 seconds. */
  readonly busyMs?: number;
}

/** The applied migrations, and the backup that was made before; there is none for a new or unchanged database. */
export interface MigrateResult {
  readonly applied: readonly MigrationFile[];
  readonly backup?: BackupRecord;
}

const NAME = /^(\d+)[-_].+\.sql$/;
const RETRY_MS = 20;
/** Pragmas that a migration may set. */
const PRAGMAS: readonly string[] = ['user_version', 'application_id', 'defer_foreign_keys'];

/** Compares the files of a folder with those that a database has applied. */
export function migrationStatus(file: string, folder: string): MigrationStatus {
  const files = readFolder(folder);
  if (!existsSync(file)) return compare(files, []);
  try {
    using db = new DatabaseSync(file, { readOnly: true, timeout: BUSY_MS });
    return compare(files, readApplied(db));
  } catch (cause) {
    throw databaseFailure(cause, { action: `read the migrations of ${file}`, file });
  }
}

/** Applies pending migrations after a backup. Creates the database if it does not exist. */
export async function migrate(file: string, folder: string, options: MigrateOptions = {}): Promise<MigrateResult> {
  mkdirSync(dirname(file), { recursive: true });
  const db = openForMigration(file);
  let backup: BackupRecord | undefined;
  try {
    // SD7: nothing is read before this, and the lock is held until all files are applied.
    await takeLock(db, file, options.busyMs ?? BUSY_MS);
    const { pending, problems } = compare(readFolder(folder), readApplied(db));
    if (problems.length > 0) throw migrationError(problems.join('; '), { file, problems });
    if (pending.length === 0) return { applied: [] };
    const isNew = db.prepare('SELECT count(*) AS n FROM sqlite_schema').get()?.n === 0;
    if (!isNew) backup = await copyVerified(file, { ...options, reason: 'migration' });
    const violations = countViolations(db);
    for (const migration of pending) applyFile(db, join(folder, migration.name), options.allowLoss === true);
    if (countViolations(db) > violations)
      throw migrationError('the migrations leave rows that refer to missing rows ("PRAGMA foreign_key_check")', { file });
    recordApplied(db, pending, new Date((options.now ?? Date.now)()).toISOString());
    if (backup !== undefined) recordBackup(db, backup);
    db.exec('COMMIT');
    if (backup !== undefined) removeOldest(db, file, { ...options, reason: 'migration' });
    return backup === undefined ? { applied: pending } : { applied: pending, backup };
  } catch (error) {
    // Nothing was changed, so the backup is not needed.
    if (backup !== undefined) rmSync(backup.path, { force: true });
    throw isDatabaseFailure(error) ? databaseFailure(error, { action: `migrate ${file}`, file, state: 'no migration was applied' }) : error;
  } finally {
    if (db.isTransaction) db.exec('ROLLBACK');
    db.close();
  }
}

/** Foreign keys are checked at the end, because rebuilding a table drops it temporarily. */
function openForMigration(file: string): DatabaseSync {
  try {
    const db = new DatabaseSync(file, { timeout: 0, defensive: true, enableForeignKeyConstraints: false });
    db.prepare('SELECT count(*) FROM sqlite_schema').get();
    return db;
  } catch (cause) {
    throw databaseFailure(cause, { action: `open database ${file}`, file });
  }
}

/** Waits for the write lock without blocking this process, which may hold it itself. */
async function takeLock(db: DatabaseSync, file: string, busyMs: number): Promise<void> {
  for (let left = busyMs; ; left -= RETRY_MS) {
    try {
      db.exec('BEGIN IMMEDIATE');
      return;
    } catch (cause) {
      if (left > 0) await setTimeout(RETRY_MS);
      else throw databaseFailure(cause, { action: `migrate ${file}`, file });
    }
  }
}

function readFolder(folder: string): MigrationFile[] {
  if (!existsSync(folder)) throw migrationError(`the migrations folder ${folder} does not exist`, { folder });
  const names = readdirSync(folder).filter((name) => name.endsWith('.sql'));
  const files = names.map((name) => {
    const number = Number(NAME.exec(name)?.[1] ?? Number.NaN);
    if (!Number.isSafeInteger(number))
      throw migrationError(`${join(folder, name)} has no number; name it 001_${name}, for example`, { name });
    return { number, name, checksum: checksumOf(readFileSync(join(folder, name), 'utf8')) };
  });
  const sorted = files.sort((left, right) => left.number - right.number);
  const twice = sorted.find(({ number }, index) => sorted[index + 1]?.number === number);
  if (twice !== undefined)
    throw migrationError(`two files of ${folder} have the number ${twice.number}; give one of them another`, { folder });
  return sorted;
}

/** Line endings do not count: git changes them. */
function checksumOf(text: string): string {
  return digestText(text.replaceAll('\r\n', '\n'));
}

function readApplied(db: DatabaseSync): MigrationStatus['applied'] {
  if (!hasTable(db, MIGRATIONS_TABLE)) return [];
  const rows = db.prepare(`SELECT number, name, checksum, applied_at FROM ${MIGRATIONS_TABLE} ORDER BY number`).all();
  return rows.map(appliedRow);
}

const appliedRow = rowAs({ number, name: text, checksum: text, appliedAt: text });

/** Compares files with the applied migrations (SD8). */
function compare(files: readonly MigrationFile[], applied: MigrationStatus['applied']): MigrationStatus {
  const last = applied.at(-1)?.number ?? Number.NEGATIVE_INFINITY;
  const unknown = files.filter(({ number }) => !applied.some((done) => done.number === number));
  const problems = [
    ...applied.flatMap(({ number, name, checksum }) => {
      const now = files.find((file) => file.number === number);
      if (now === undefined) return [`migration ${name} was applied, but its file is missing; restore it`];
      return now.checksum === checksum ? [] : [`migration ${now.name} was edited after it was applied; undo the edit and add a new file`];
    }),
    ...unknown
      .filter(({ number }) => number < last)
      .map(({ name }) => `migration ${name} comes before ${last}, which is applied; give it a higher number`),
  ];
  return { applied, pending: unknown.filter(({ number }) => number > last), problems };
}

function recordApplied(db: DatabaseSync, files: readonly MigrationFile[], at: string): void {
  db.exec(
    `CREATE TABLE IF NOT EXISTS ${MIGRATIONS_TABLE} (number INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL, applied_at TEXT NOT NULL)`,
  );
  const { insert } = databaseOf(db);
  for (const { number, name, checksum } of files) insert(MIGRATIONS_TABLE, { number, name, checksum, appliedAt: at });
}

function applyFile(db: DatabaseSync, path: string, allowLoss: boolean): void {
  let rejection: string | undefined;
  const views = new Set<string | null>();
  db.setAuthorizer((action, ...[first, second, third]) => {
    // SQLite also authorizes a delete when a view is dropped.
    if (action === constants.SQLITE_DROP_VIEW || action === constants.SQLITE_DROP_TEMP_VIEW) views.add(first);
    const isOfView = action === constants.SQLITE_DELETE && views.has(first);
    if (!isOfView) rejection ??= neverAllowed(action, first, second) ?? (allowLoss ? undefined : lossOf({ action, first, second, third }));
    return rejection === undefined ? constants.SQLITE_OK : constants.SQLITE_DENY;
  });
  try {
    db.exec(readFileSync(path, 'utf8'));
  } catch (cause) {
    if (rejection === undefined && isDatabaseFailure(cause)) throw cause;
    throw migrationError(`${path} ${rejection ?? `failed: ${messageOf(cause)}`}; no migration was applied`, { path }, cause);
  } finally {
    db.setAuthorizer(null);
  }
}

function neverAllowed(action: number, first: string | null, second: string | null): string | undefined {
  switch (action) {
    case constants.SQLITE_ATTACH:
    case constants.SQLITE_DETACH:
      return 'attaches another database, which a migration must not do';
    case constants.SQLITE_TRANSACTION:
    case constants.SQLITE_SAVEPOINT:
      return `has ${first}, but all migrations of one call are one transaction; remove it`;
    case constants.SQLITE_PRAGMA:
      return second === null || PRAGMAS.includes(String(first)) ? undefined : `sets PRAGMA ${first}, which a migration must not do`;
    case constants.SQLITE_FUNCTION:
      return second === 'load_extension' ? 'loads an extension, which a migration must not do' : undefined;
    default:
      return undefined;
  }
}

interface Action {
  readonly action: number;
  readonly first: string | null;
  readonly second: string | null;
  readonly third: string | null;
}

function lossOf({ action, first, second, third }: Action): string | undefined {
  const hint = 'a person can allow this with --allow-loss (allowLoss in a program)';
  if (action === constants.SQLITE_DROP_TABLE || action === constants.SQLITE_DROP_VTABLE) return `drops table "${first}"; ${hint}`;
  if (action === constants.SQLITE_ALTER_TABLE && third !== null) return `drops column "${third}" of table "${second}"; ${hint}`;
  if (action === constants.SQLITE_DELETE && !String(first).startsWith('sqlite_')) return `deletes rows of table "${first}"; ${hint}`;
  return undefined;
}

function countViolations(db: DatabaseSync): number {
  return db.prepare('PRAGMA foreign_key_check').all().length;
}

function migrationError(fault: string, details: Readonly<Record<string, unknown>>, cause?: unknown): EngineError {
  return new EngineError('MIGRATION_REFUSED', fault, { cause, details });
}
