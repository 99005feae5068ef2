// `pawl backup`: a copy of the database while runs go on, verified before it is called one.

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
      `there is no database ${place.file} yet, so there is nothing to copy; "pawl doctor" shows why this one`,
    );
  const named = given.maybe('FILE');
  const file = named === undefined ? nameBeside(place.file, 'backup') : resolve(shell.cwd, named);
  const done = showWork(shell, 'copying and verifying');
  try {
    const make = async (): Promise<{ bytes: number; runs: number }> => {
      const { bytes } = await store.backup(file);
      const { runs } = await verifyCopy(file, file);
      return { bytes, runs };
    };
    const { bytes, runs } = await inPlaceOf(file, { place, force: given.has('force') }, make);
    done();
    shell.result({ backup: { path: file, bytes, runs } }, () => [
      `${shell.symbol('done')} ${runs} ${runs === 1 ? 'run' : 'runs'}, ${sizeText(bytes)}, verified: ${oneLine(file)}`,
      shell.style('dim', `"pawl restore ${oneLine(named ?? file)}" puts it back`),
    ]);
    return 0;
  } finally {
    done();
    await store.close();
  }
};

/** Makes a file where one may lie already: that one is moved aside, and comes back when making fails. */
async function inPlaceOf<T>(file: string, how: { readonly place: Place; readonly force: boolean }, make: () => Promise<T>): Promise<T> {
  const isThere = existsSync(file);
  if (isThere && realpathSync(file) === realpathSync(how.place.file))
    throw new EngineError('USAGE', `${file} is the database itself; name another file for the copy`);
  if (isThere && !how.force) throw new EngineError('USAGE', `${file} exists already; name another file, or overwrite it with --force`);
  const aside = nameBeside(file, 'replaced');
  if (isThere) renameSync(file, aside);
  try {
    const made = await make();
    rmSync(aside, { force: true });
    return made;
  } catch (error) {
    rmSync(file, { force: true });
    if (isThere) renameSync(aside, file);
    throw error;
  }
}
