// `pawl restore`: replaces the database with a backup. A copy of the backup is verified first, the current database is
// saved, and the replacement is one transaction or one rename, so that a crash leaves either the old or the new one.

import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { EngineError, isEngineError } from '../../base/error.ts';
import { type CommandRun, usageError } from '../command.ts';
import { type CopySummary, nameBeside, showingProgress, verifyCopy } from '../copies.ts';
import { findSetup, openStore, type Setup } from '../session.ts';
import type { Shell } from '../shell.ts';
import { assertMayMaintainFile, assertNotDriven, isForeign } from '../store-origin.ts';
import { counted, oneLine } from '../terminal.ts';

/** Stored instead of the id of a state folder; no folder has this id. */
const NO_OWNER = 'nobody';
const SIDES = ['-wal', '-shm'];

/** Runs the command. */
export const run: CommandRun = async (shell, args) => {
  const setup = await findSetup(shell, args);
  const backup = resolve(shell.cwd, args.word('FILE'));
  assertBackup(backup, setup);
  const draft = nameBeside(setup.file, 'restoring');
  const { summary, saved } = await showingProgress(shell, 'verifying the backup', async () => {
    try {
      const verified = await createDraft(backup, draft);
      await assertMayMaintainFile(setup, shell.right);
      if (!args.has('force'))
        await assertNotDriven(setup.file, 'a restore would replace its database; end that process first, or use --force');
      const current = await saveCurrent(setup);
      await replaceDatabase(setup, draft, current);
      return { summary: verified, saved: current?.saved };
    } finally {
      removeDraft(draft);
    }
  });
  const { origin } = (await import('../../store/sqlite/inspect.ts')).inspectFile(setup.file);
  return report(shell, { setup, backup, saved, summary, foreign: isForeign(setup, origin) });
};

/** Removes the draft with its write-ahead log and the copy that a migration makes. */
function removeDraft(draft: string): void {
  if (!existsSync(dirname(draft))) return;
  const names = readdirSync(dirname(draft)).filter((name) => name.startsWith(basename(draft)));
  for (const name of names) rmSync(join(dirname(draft), name), { force: true });
}

function assertBackup(backup: string, setup: Setup): void {
  if (statSync(backup, { throwIfNoEntry: false })?.isFile() !== true) throw usageError(`backup ${backup} does not exist`);
  if (existsSync(setup.file) && realpathSync(backup) === realpathSync(setup.file))
    throw usageError(`${backup} is the current database itself; give a backup`);
}

/** Copies the backup next to the database and verifies the copy; the backup itself is not changed. */
async function createDraft(backup: string, draft: string): Promise<CopySummary> {
  mkdirSync(dirname(draft), { recursive: true, mode: 0o700 });
  copyFileSync(backup, draft);
  chmodSync(draft, 0o600);
  const log = `${backup}-wal`;
  if (existsSync(log)) copyFileSync(log, `${draft}-wal`);
  try {
    return await verifyCopy(draft, backup);
  } catch (error) {
    if (!isEngineError(error)) throw error;
    const { code, message, details } = error;
    throw new EngineError(code, `${message.replaceAll(draft, backup)}; nothing was changed`, {
      cause: error,
      details: { ...details, file: backup },
    });
  }
}

interface CurrentDatabase {
  readonly saved: string;
  /** True if it can be read and written. */
  readonly isSound: boolean;
}

/** Saves the current database as a backup or, if it cannot be read, as a copy of its files. */
async function saveCurrent(setup: Setup): Promise<CurrentDatabase | undefined> {
  if (!existsSync(setup.file)) return undefined;
  try {
    await using store = await openStore(setup, 'read');
    return { saved: (await store.backup(nameBeside(setup.file, 'backup'))).path, isSound: true };
  } catch (error) {
    if (!isEngineError(error) || (error.code !== 'STORE_DAMAGED' && error.code !== 'STORE_NEWER')) throw error;
    const kept = nameBeside(setup.file, 'replaced');
    for (const side of ['', ...SIDES]) if (existsSync(`${setup.file}${side}`)) copyFileSync(`${setup.file}${side}`, `${kept}${side}`);
    return { saved: kept, isSound: false };
  }
}

/**
 * Replaces the database with the draft: inside the file if other processes may have it open, otherwise by a rename. The
 * old write-ahead log is removed before the rename, because SQLite would replay it onto the new file.
 */
async function replaceDatabase(setup: Setup, draft: string, current: CurrentDatabase | undefined): Promise<void> {
  if (current?.isSound === true) {
    const { replaceContents } = await import('../../store/sqlite/backup.ts');
    await replaceContents(setup.file, draft);
  } else {
    syncFile(draft);
    for (const side of SIDES) rmSync(`${setup.file}${side}`, { force: true });
    renameSync(draft, setup.file);
    if (process.platform !== 'win32') syncFile(dirname(setup.file));
  }
  const { openSqliteStore } = await import('../../store/sqlite/open.ts');
  const store = await openSqliteStore({ file: setup.file, adopt: true });
  // A backup without an owner could come from anyone.
  await store.bind(NO_OWNER);
  await store.close();
}

function syncFile(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

interface RestoreResult {
  readonly setup: Setup;
  readonly backup: string;
  readonly saved: string | undefined;
  readonly summary: CopySummary;
  readonly foreign: boolean;
}

function report(shell: Shell, { setup, backup, saved, summary, foreign }: RestoreResult): number {
  const open = summary.open.map(({ id, workflow, status, currentStep }) => ({ id, workflow, status, currentStep: currentStep ?? null }));
  return shell.result({ restored: { file: setup.file, from: backup, saved: saved ?? null, runs: summary.runs, open, foreign } }, () => [
    `${shell.symbol('done')} ${counted(summary.runs, 'run')} restored to ${oneLine(setup.file)}`,
    ...(saved === undefined ? [] : [`  the previous database is saved as ${oneLine(saved)}`]),
    ...(foreign
      ? ['  It was not created under your state folder. If it is yours, run "pawl db adopt" at a terminal to let its runs continue.']
      : []),
    ...(open.length === 0
      ? []
      : [
          '  Anything these runs did after the backup is not recorded. Check them before you continue:',
          ...open.map(({ id, workflow, status }) => `    pawl resume ${id}  # ${oneLine(workflow)}, ${status}`),
        ]),
  ]);
}
