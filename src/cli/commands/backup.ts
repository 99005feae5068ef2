// `pawl backup`: copies the database while runs continue, and verifies the copy.

import { existsSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { EngineError } from '../../base/error.ts';
import type { CommandRun } from '../command.ts';
import { nameBeside, showWork, sizeText, verifyCopy } from '../copies.ts';
import { findPlace, openExisting, type Place } from '../session.ts';
import { oneLine } from '../terminal.ts';

/** Runs the command. */
export const run: CommandRun = async (shell, given) => {
  const place = await findPlace(shell, given);
  const store = await openExisting(place);
  if (store === undefined)
    throw new EngineError(
      'STORE_UNAVAILABLE',
      `database ${place.file} does not exist yet, so there is nothing to copy ("pawl doctor" shows where the path comes from)`,
    );
  const named = given.maybe('FILE');
  const file = named === undefined ? nameBeside(place.file, 'backup') : resolve(shell.cwd, named);
  const done = showWork(shell, 'copying and verifying');
  try {
    const { bytes, runs } = await inPlaceOf(file, { place, force: given.has('force') }, async () => {
      const copied = await store.backup(file);
      return { ...copied, ...(await verifyCopy(file, file)) };
    });
    done();
    return shell.result({ backup: { path: file, bytes, runs } }, () => [
      `${shell.symbol('done')} ${runs} ${runs === 1 ? 'run' : 'runs'}, ${sizeText(bytes)}, verified: ${oneLine(file)}`,
      shell.style('dim', `"pawl restore ${oneLine(named ?? file)}" restores it`),
    ]);
  } finally {
    done();
    await store.close();
  }
};

/** Creates a file that may already exist: the old one is moved aside, and moved back if creating fails. */
async function inPlaceOf<T>(file: string, how: { readonly place: Place; readonly force: boolean }, make: () => Promise<T>): Promise<T> {
  const exists = existsSync(file);
  if (exists && realpathSync(file) === realpathSync(how.place.file))
    throw new EngineError('USAGE', `${file} is the database itself; choose another file for the copy`);
  if (exists && !how.force) throw new EngineError('USAGE', `${file} already exists; choose another file, or overwrite it with --force`);
  const aside = nameBeside(file, 'replaced');
  if (exists) renameSync(file, aside);
  try {
    const result = await make();
    rmSync(aside, { force: true });
    return result;
  } catch (error) {
    rmSync(file, { force: true });
    if (exists) renameSync(aside, file);
    throw error;
  }
}
