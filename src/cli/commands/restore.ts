// `pawl restore`: puts a backup in the place of the database. The backup is verified on a copy first, the present
// database is kept, and the place is taken in one transaction or one move, so that a crash leaves the one or the other.

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
import type { CommandRun } from '../command.ts';
import { type CopyFacts, nameBeside, showWork, verifyCopy } from '../copies.ts';
import { findPlace, openStore, type Place } from '../session.ts';
import type { Shell } from '../shell.ts';
import { assertUpkeep, isForeign } from '../store-origin.ts';
import { oneLine } from '../terminal.ts';

/** Stands where the id of a state folder would: no folder has it. */
const NOBODY = 'nobody';
const SIDES = ['-wal', '-shm'];

/** Runs the command. */
export const run: CommandRun = async (shell, given) => {
  const place = await findPlace(shell, given);
  const backup = resolve(shell.cwd, given.word('FILE'));
  assertBackup(backup, place);
  const draft = nameBeside(place.file, 'restoring');
  const done = showWork(shell, 'verifying the backup');
  try {
    const facts = await draftOf(backup, draft);
    await assertOwnPresent(shell, place);
    await assertFree(place, given.has('force'));
    const present = await keepPresent(place);
    await takePlace(draft, place, present);
    const { origin } = (await import('../../store/sqlite/inspect.ts')).inspectFile(place.file);
    done();
    tell(shell, { place, backup, saved: present?.saved, facts, foreign: isForeign(place, origin) });
    return 0;
  } finally {
    done();
    removeDraft(draft);
  }
};

/** The draft and what was made beside it: its log, and the copy that a migration makes. */
function removeDraft(draft: string): void {
  if (!existsSync(dirname(draft))) return;
  const names = readdirSync(dirname(draft)).filter((name) => name.startsWith(basename(draft)));
  for (const name of names) rmSync(join(dirname(draft), name), { force: true });
}

function assertBackup(backup: string, place: Place): void {
  if (statSync(backup, { throwIfNoEntry: false })?.isFile() !== true)
    throw new EngineError('USAGE', `there is no file ${backup} to restore`);
  if (existsSync(place.file) && realpathSync(backup) === realpathSync(place.file))
    throw new EngineError('USAGE', `${backup} is the present database itself; name a backup`);
}

/** Copies the backup beside the database and verifies the copy; the backup itself is not touched. */
async function draftOf(backup: string, draft: string): Promise<CopyFacts> {
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

/** Refuses to replace a database of another state folder; whose a damaged file was cannot be told. */
async function assertOwnPresent(shell: Shell, place: Place): Promise<void> {
  if (!existsSync(place.file)) return;
  const { inspectFile } = await import('../../store/sqlite/inspect.ts');
  const present = unlessDamaged(() => inspectFile(place.file));
  assertUpkeep(place, { origin: present?.origin, right: shell.right });
}

/** Refuses while a living process drives a run of the present database. */
async function assertFree(place: Place, force: boolean): Promise<void> {
  if (force || !existsSync(place.file)) return;
  const [{ inspectFile }, { isDead }] = await Promise.all([import('../../store/sqlite/inspect.ts'), import('../../process/owner.ts')]);
  const held = unlessDamaged(() => inspectFile(place.file).owned.find(({ owner }) => !isDead(owner)));
  if (held === undefined) return;
  throw new EngineError(
    'RUN_LOCKED',
    `run ${held.run} of ${place.file} is driven by ${held.owner}, and a restore would take its database away; end that process first, or say --force`,
    { details: { run: held.run, owner: held.owner } },
  );
}

function unlessDamaged<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if (isEngineError(error) && error.code === 'STORE_DAMAGED') return undefined;
    throw error;
  }
}

/** The database that was there. */
interface Present {
  readonly saved: string;
  /** True when it can be read and written as a database. */
  readonly isSound: boolean;
}

/** Keeps what is there: as a backup, or, when it cannot be read as a database, as the files it is. */
async function keepPresent(place: Place): Promise<Present | undefined> {
  if (!existsSync(place.file)) return undefined;
  try {
    const store = await openStore(place, 'look');
    try {
      return { saved: (await store.backup(nameBeside(place.file, 'backup'))).path, isSound: true };
    } finally {
      await store.close();
    }
  } catch (error) {
    if (!isEngineError(error) || (error.code !== 'STORE_DAMAGED' && error.code !== 'STORE_NEWER')) throw error;
    const kept = nameBeside(place.file, 'replaced');
    for (const side of ['', ...SIDES]) if (existsSync(`${place.file}${side}`)) copyFileSync(`${place.file}${side}`, `${kept}${side}`);
    return { saved: kept, isSound: false };
  }
}

/**
 * Puts the draft in the place of the database: into the file, where that is a database that others may have open, else by
 * a move. The log of a file that is moved over goes first: SQLite would replay it onto the new one.
 */
async function takePlace(draft: string, place: Place, present: Present | undefined): Promise<void> {
  if (present?.isSound === true) {
    const { replaceContents } = await import('../../store/sqlite/backup.ts');
    await replaceContents(place.file, draft);
  } else {
    syncFile(draft);
    for (const side of SIDES) rmSync(`${place.file}${side}`, { force: true });
    renameSync(draft, place.file);
    if (process.platform !== 'win32') syncFile(dirname(place.file));
  }
  const { openSqliteStore } = await import('../../store/sqlite/open.ts');
  const store = await openSqliteStore({ file: place.file, adopt: true });
  // A backup that does not say whose it is may be anybody's, wherever it is put.
  await store.bind(NOBODY);
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

interface Restored {
  readonly place: Place;
  readonly backup: string;
  readonly saved: string | undefined;
  readonly facts: CopyFacts;
  readonly foreign: boolean;
}

function tell(shell: Shell, { place, backup, saved, facts, foreign }: Restored): void {
  const open = facts.open.map(({ id, workflow, status, currentStep }) => ({ id, workflow, status, currentStep: currentStep ?? null }));
  shell.result({ restored: { file: place.file, from: backup, saved: saved ?? null, runs: facts.runs, open, foreign } }, () => [
    `${shell.symbol('done')} ${facts.runs} ${facts.runs === 1 ? 'run' : 'runs'} restored to ${oneLine(place.file)}`,
    ...(saved === undefined ? [] : [`  what was there before is ${oneLine(saved)}`]),
    ...(foreign ? ['  It was not made under your state folder. If it is yours, "pawl db adopt" at a terminal lets its runs go on.'] : []),
    ...(open.length === 0
      ? []
      : [
          '  What these runs did after the backup is not recorded. Look at what is there before you go on:',
          ...open.map(({ id, workflow, status }) => `    pawl resume ${id}  # ${oneLine(workflow)}, ${status}`),
        ]),
  ]);
}
