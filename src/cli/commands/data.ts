// `pawl data`: migrates, backs up, restores and compares the protected databases of the user.

import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { EngineError, isEngineError } from '../../base/error.ts';
import { omitUndefined } from '../../base/fields.ts';
import { didYouMean } from '../../base/suggest.ts';
import { type BackupRecord, backUp, listBackups, unrecordedBackups } from '../../safe-db/backup.ts';
import { ROW_LIMIT } from '../../safe-db/client.ts';
import { differences, type TableDifference } from '../../safe-db/difference.ts';
import { type MigrateResult, type MigrationStatus, migrate, migrationStatus } from '../../safe-db/migrations.ts';
import { restoreBackup } from '../../safe-db/restore.ts';
import { type CommandRun, type ParsedArgs, usageError } from '../command.ts';
import { showingProgress, sizeText } from '../copies.ts';
import { findSetup, type Setup } from '../session.ts';
import type { DatabaseSetting } from '../settings/settings.ts';
import type { Shell } from '../shell.ts';
import { assertMayMaintainFile } from '../store-origin.ts';
import { oneLine } from '../terminal.ts';

interface Database extends DatabaseSetting {
  readonly name: string;
}

interface Choice {
  readonly database: Database;
  readonly path: string;
}

/** Runs the command. */
export const run: CommandRun = async (shell, args) => {
  const setup = await findSetup(shell, args);
  const all = Object.entries(setup.settings.databases ?? {}).map(([name, setting]) => ({ name, ...setting }));
  if (all.length === 0)
    throw new EngineError(
      'CONFIG_INVALID',
      'no protected database is configured; add one to .pawl/config.yaml, such as "databases: { book: { path: data/project.db, migrations: migrations } }"',
    );
  assertOptions(args);
  switch (args.word('ACTION')) {
    case 'migrate':
      return migrateAll(shell, setup, databasesOf(all, args.maybe('NAME')));
    case 'backup':
      return backUpAll(shell, databasesOf(all, args.maybe('NAME')));
    case 'restore':
      return restore(shell, setup, databasesOf(all, args.option('database')));
    case 'diff':
      return diff(shell, databasesOf(all, args.option('database')));
    default:
      return status(shell, databasesOf(all, args.maybe('NAME')));
  }
};

/** Rejects options of another action, which would be ignored. */
function assertOptions(args: ParsedArgs): void {
  const action = args.word('ACTION');
  if (args.has('allow-loss') && action !== 'migrate') throw usageError(`--allow-loss is for "pawl data migrate", not for ${action}`);
  if (args.option('database') !== undefined && action !== 'restore' && action !== 'diff')
    throw usageError(`--database is for restore and diff; write "pawl data ${action} ${args.option('database')}"`);
  if (action === 'restore' && args.maybe('NAME') === undefined)
    throw usageError('a backup is missing; "pawl data status" lists them, and "pawl data restore BACKUP" restores one');
}

function databasesOf(all: readonly Database[], name: string | undefined): readonly Database[] {
  if (name === undefined) return all;
  const found = all.filter((database) => database.name === name);
  if (found.length > 0) return found;
  const names = all.map((database) => database.name);
  throw usageError(`no protected database "${name}"${didYouMean(name, names)}; there are: ${names.join(', ')}`);
}

function status(shell: Shell, databases: readonly Database[]): number {
  const rows = databases.map(statusOf);
  const problems = rows.flatMap(({ problem, migrations }) => [...(problem === null ? [] : [problem]), ...(migrations?.problems ?? [])]);
  shell.result({ ok: problems.length === 0, databases: rows }, () =>
    rows.flatMap(({ name, path, bytes, problem, migrations, backups, unrecorded }) => [
      `${name}  ${oneLine(path)}, ${bytes === null ? missingText(unrecorded) : sizeText(bytes)}`,
      ...(problem === null ? [`  ${migrationLine(migrations)}`] : []),
      ...[problem ?? [], migrations?.problems ?? []]
        .flat()
        .map((text) => `  ${shell.style('red', shell.symbol('failed'))} ${oneLine(text)}`),
      ...(backups.length === 0 && unrecorded.length === 0 ? ['  no backups'] : []),
      ...(backups.length === 0 ? [] : indented(backupTable(shell, backups))),
      ...unrecorded.map((file) => `  backup without a record: ${oneLine(file)}`),
    ]),
  );
  return problems.length === 0 ? 0 : 1;
}

/** The status of a database; if it cannot be read, the reason and the files of its backups. */
function statusOf({ name, path, migrations, row_limit: rowLimit = ROW_LIMIT }: Database) {
  const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? null;
  const facts = { name, path, bytes, rowLimit };
  try {
    const found = migrations === undefined ? null : migrationStatus(path, migrations);
    const backups = listBackups(path);
    return { ...facts, problem: null, migrations: found, backups, unrecorded: unrecordedBackups(path, backups) };
  } catch (error) {
    if (!isEngineError(error) || error.code !== 'DATABASE_FAILED') throw error;
    return { ...facts, problem: error.message, migrations: null, backups: [], unrecorded: unrecordedBackups(path, []) };
  }
}

function missingText(unrecorded: readonly string[]): string {
  return unrecorded.length === 0 ? 'not created yet' : 'missing; "pawl data restore FILE" restores one of its backups';
}

function migrationLine(found: MigrationStatus | null): string {
  if (found === null) return 'no folder of migrations';
  const pending = found.pending.map(({ name }) => oneLine(name)).join(', ');
  return `${found.applied.length} of ${found.applied.length + found.pending.length} migrations applied${pending === '' ? '' : `; to apply: ${pending}`}`;
}

function backupTable(shell: Shell, backups: readonly BackupRecord[]): string[] {
  return shell.table(backups, {
    BACKUP: ({ id }) => id.slice(0, 8),
    MADE: ({ createdAt }) => createdAt,
    BEFORE: ({ reason, runId }) => runId ?? reason,
    SIZE: ({ bytes }) => sizeText(bytes),
    STATE: ({ path, verified }) => (existsSync(path) ? (verified ? 'verified' : 'not verified') : 'the file is missing'),
  });
}

const indented = (lines: readonly string[]): string[] => lines.map((line) => `  ${line}`);

async function migrateAll(shell: Shell, setup: Setup, databases: readonly Database[]): Promise<number> {
  const allowLoss = shell.args.has('allow-loss');
  if (allowLoss) await assertMayMaintainFile(setup, shell.right);
  const results: (MigrateResult & Pick<Database, 'name' | 'path'>)[] = [];
  for (const { name, path, migrations, keep_backups: keep } of databases) {
    if (migrations === undefined)
      throw new EngineError('CONFIG_INVALID', `database "${name}" has no migrations; set "databases.${name}.migrations" to their folder`);
    const work = () => migrate(path, migrations, { allowLoss, ...omitUndefined({ keep }) });
    results.push({ name, path, ...(await showingProgress(shell, `migrating ${name}`, work)) });
  }
  return shell.result({ databases: results.map(({ backup, ...rest }) => ({ ...rest, backup: backup ?? null })) }, () =>
    results.flatMap(({ name, applied, backup }) =>
      applied.length === 0
        ? [`${name} has no new migrations`]
        : [
            `${shell.symbol('done')} ${name}: applied ${applied.map((file) => oneLine(file.name)).join(', ')}`,
            ...(backup === undefined ? [] : [`  the database from before is backup ${backup.id.slice(0, 8)}: ${oneLine(backup.path)}`]),
          ],
    ),
  );
}

async function backUpAll(shell: Shell, databases: readonly Database[]): Promise<number> {
  const backups: (BackupRecord & { readonly name: string })[] = [];
  for (const { name, path, keep_backups: keep } of databases) {
    assertExists({ name, path });
    backups.push({ name, ...(await showingProgress(shell, `copying and verifying ${name}`, () => backUp(path, omitUndefined({ keep })))) });
  }
  return shell.result({ backups }, () =>
    backups.map(
      ({ name, id, bytes, path }) =>
        `${shell.symbol('done')} ${name}: backup ${id.slice(0, 8)}, ${sizeText(bytes)}, verified: ${oneLine(path)}`,
    ),
  );
}

async function restore(shell: Shell, setup: Setup, databases: readonly Database[]): Promise<number> {
  await assertMayMaintainFile(setup, shell.right);
  const choices = choicesOf(shell, databases, shell.args.maybe('NAME') ?? '');
  const restored: { name: string; path: string; from: string; saved: BackupRecord | null }[] = [];
  for (const { database, path: from } of choices) {
    const { name, path, keep_backups: keep } = database;
    const saved = await showingProgress(shell, `restoring ${name}`, () => restoreBackup(path, from, omitUndefined({ keep })));
    restored.push({ name, path, from, saved: saved ?? null });
  }
  return shell.result({ restored }, () =>
    restored.flatMap(({ name, from, saved }) => [
      `${shell.symbol('done')} ${name} was restored from ${oneLine(from)}`,
      ...(saved === null ? [] : [`  ${savedLine(saved)}`]),
    ]),
  );
}

function savedLine({ id, path, verified }: BackupRecord): string {
  if (verified) return `the previous database is backup ${id.slice(0, 8)}: ${oneLine(path)}`;
  return `the previous database was damaged and is kept unchanged: ${oneLine(path)}; restart programs that have it open`;
}

function diff(shell: Shell, databases: readonly Database[]): number {
  const named = shell.args.maybe('NAME');
  const choices = named === undefined ? databases.map(newestOf) : choicesOf(shell, databases, named);
  const rows = choices.map(({ database: { name, path }, path: backup }) => {
    assertExists({ name, path });
    return { name, path, backup, tables: differences(path, backup) };
  });
  return shell.result({ databases: rows }, () =>
    rows.flatMap(({ name, backup, tables }) => [
      `${name} since ${oneLine(backup)}${tables.length === 0 ? ': no differences' : ''}`,
      ...(tables.length === 0 ? [] : indented(differenceTable(shell, tables))),
    ]),
  );
}

function differenceTable(shell: Shell, tables: readonly TableDifference[]): string[] {
  return shell.table(tables, {
    TABLE: (row) => oneLine(row.table),
    ADDED: ({ added }) => String(added),
    REMOVED: ({ removed }) => String(removed),
    CHANGED: ({ changed }) => String(changed),
    NOTE: ({ state, redefined }) => (state !== 'changed' ? `table ${state}` : redefined ? 'defined differently' : ''),
  });
}

function newestOf(database: Database): Choice {
  const [newest] = listBackups(database.path);
  if (newest !== undefined) return { database, path: newest.path };
  throw usageError(`database "${database.name}" has no backup to compare with; make one with "pawl data backup ${database.name}"`);
}

/** The backups with a file, id or run; a run can have backups of several databases. */
function choicesOf(shell: Shell, databases: readonly Database[], word: string): readonly Choice[] {
  const file = resolve(shell.cwd, word);
  if (statSync(file, { throwIfNoEntry: false })?.isFile() === true) {
    const [database, ...others] = databases;
    if (database !== undefined && others.length === 0) return [{ database, path: file }];
    const names = databases.map(({ name }) => name).join(', ');
    throw usageError(`${file} may be a backup of several databases; choose one with --database: ${names}`);
  }
  const found = databases.flatMap((database) => named(listBackups(database.path), word).map((record) => ({ database, record })));
  assertOnePerDatabase(word, found);
  return found.map(({ database, record }) => ({ database, path: record.path }));
}

/** The backups that match a word. Complete ids have priority over prefixes, and existing files over deleted ones. */
function named(backups: readonly BackupRecord[], word: string): readonly BackupRecord[] {
  const whole = backups.filter(({ id, runId }) => id === word || runId === word);
  const found = whole.length > 0 ? whole : backups.filter(({ id, runId }) => id.startsWith(word) || runId?.startsWith(word) === true);
  const existing = found.filter(({ path }) => existsSync(path));
  return existing.length > 0 ? existing : found;
}

function assertOnePerDatabase(word: string, found: readonly { readonly database: Database; readonly record: BackupRecord }[]): void {
  if (found.length === 0) throw usageError(`no backup "${word}"; "pawl data status" lists them, and the path of a file works too`);
  const twice = [...Map.groupBy(found, ({ database }) => database.name).values()].find((same) => same.length > 1);
  if (twice === undefined) return;
  const ids = twice.map(({ record: { id, createdAt } }) => `${id.slice(0, 8)} (${createdAt})`).join(', ');
  throw usageError(`"${word}" matches several backups of ${twice[0]?.database.name}: ${ids}; give one of these`);
}

function assertExists({ name, path }: Pick<Database, 'name' | 'path'>): void {
  if (existsSync(path)) return;
  throw new EngineError('DATABASE_FAILED', `database "${name}" does not exist: ${path}; "pawl data migrate ${name}" creates it`, {
    details: { file: path },
  });
}
