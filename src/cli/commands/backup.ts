// `pawl backup`: copies the database while runs continue, and verifies the copy.

import { existsSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { EngineError } from '../../base/error.ts';
import { type CommandRun, usageError } from '../command.ts';
import { nameBeside, showingProgress, sizeText, verifyCopy } from '../copies.ts';
import { findSetup, openExisting } from '../session.ts';
import { counted, oneLine } from '../terminal.ts';

/** Runs the command. */
export const run: CommandRun = async (shell, args) => {
  const setup = await findSetup(shell, args);
  await using store = await openExisting(setup);
  if (store === undefined)
    throw new EngineError(
      'STORE_UNAVAILABLE',
      `database ${setup.file} does not exist yet, so there is nothing to copy ("pawl doctor" shows where the path comes from)`,
    );
  const named = args.maybe('FILE');
  const file = named === undefined ? nameBeside(setup.file, 'backup') : resolve(shell.cwd, named);
  assertWritable(file, setup.file, args.has('force'));
  const copying = async () => ({ ...(await store.backup(file)), ...(await verifyCopy(file, file)) });
  const { bytes, runs } = await showingProgress(shell, 'copying and verifying', () => replacing(file, copying));
  return shell.result({ backup: { path: file, bytes, runs } }, () => [
    `${shell.symbol('done')} ${counted(runs, 'run')}, ${sizeText(bytes)}, verified: ${oneLine(file)}`,
    shell.style('dim', `"pawl restore ${oneLine(named ?? file)}" restores it`),
  ]);
};

function assertWritable(file: string, database: string, force: boolean): void {
  if (!existsSync(file)) return;
  if (realpathSync(file) === realpathSync(database)) throw usageError(`${file} is the database itself; choose another file for the copy`);
  if (!force) throw usageError(`${file} already exists; choose another file, or overwrite it with --force`);
}

/** Creates a file that may already exist: the old one is moved aside, and moved back if creating fails. */
async function replacing<T>(file: string, create: () => Promise<T>): Promise<T> {
  const exists = existsSync(file);
  const aside = nameBeside(file, 'replaced');
  if (exists) renameSync(file, aside);
  try {
    const result = await create();
    rmSync(aside, { force: true });
    return result;
  } catch (error) {
    rmSync(file, { force: true });
    if (exists) renameSync(aside, file);
    throw error;
  }
}
