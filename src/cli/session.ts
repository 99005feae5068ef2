// Owns what a command opens: the database of the project, and the run that a prefix means. A command that only reads
// never creates a database.

import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { EngineError, isEngineError } from '../base/error.ts';
import { isDead, watchOwners } from '../process/owner.ts';
import { openSqliteStore } from '../store/sqlite/open.ts';
import type { Store } from '../store/store.ts';
import type { Given } from './command.ts';
import { findProject, type Project, projectState, stateHome } from './project.ts';
import { readSettings, type Settings } from './settings/settings.ts';
import type { Shell } from './shell.ts';
import { assertOwn, ensureStateId, readStateId } from './store-origin.ts';
import { isKnownSigned } from './trust/signed-projects.ts';

/** Where the runs of a command are kept, and who said so. */
export interface Place {
  readonly project: Project;
  readonly settings: Settings;
  readonly file: string;
  readonly because: 'option' | 'environment' | 'config' | 'default';
  /** The state folder of this user; undefined where there is no home to have one in. */
  readonly state: string | undefined;
}

/**
 * What a database is opened for. To drive is to let anything in it go on or be decided, which takes a database of this
 * user; looking is possible in any.
 */
export type StoreUse = 'drive' | 'look';

const AMBIGUOUS_SHOWN = 5;

/** The database that a command works with; it need not exist. */
export async function findPlace(shell: Shell, given: Given): Promise<Place> {
  const project = findProject(shell, given);
  const said = await readSettings(shell, project);
  // What asked for signatures once does so although its settings were changed or hidden since.
  const isSigned = said.decisions === undefined && stateOf(shell) !== undefined && isKnownSigned(shell, project);
  const settings = isSigned ? { ...said, decisions: 'signed' as const } : said;
  const at = (file: string, because: Place['because']): Place => ({ project, settings, file, because, state: stateOf(shell) });
  const named = given.option('db');
  if (named !== undefined) return at(resolve(shell.cwd, named), 'option');
  const set = shell.env.PAWL_DB;
  if (set !== undefined && set !== '') return at(resolve(shell.cwd, set), 'environment');
  if (settings.db !== undefined) return at(resolve(project.root, settings.db), 'config');
  return at(join(projectState(shell, project), 'runs.db'), 'default');
}

/** The file of the database that a command works with. */
export async function databaseOf(shell: Shell, given: Given): Promise<string> {
  return (await findPlace(shell, given)).file;
}

function stateOf(shell: Shell): string | undefined {
  try {
    return stateHome(shell);
  } catch (error) {
    if (!isEngineError(error)) throw error;
    return undefined;
  }
}

/**
 * Opens the database if it exists; a command that only looks shows an empty list when it does not. One that was named on
 * the command line is expected to exist.
 */
export async function openExisting(place: Place): Promise<Store | undefined> {
  if (place.because === 'option' && !existsSync(place.file))
    throw new EngineError('STORE_UNAVAILABLE', `there is no database ${place.file}; check the path that --db names`, {
      details: { file: place.file },
    });
  return existsSync(place.file) ? openStore(place, 'look') : undefined;
}

/** Opens the database, creating it in a folder of its own; to drive, it must be this user's own. */
export async function openStore(place: Place, use: StoreUse = 'drive'): Promise<Store> {
  const folder = dirname(place.file);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new EngineError('STORE_UNAVAILABLE', `cannot make the folder ${folder} for the database; name another with --db or PAWL_DB`, {
      cause,
    });
  }
  watchOwners(place.file);
  const origin = originFor(place, use);
  const store = await openSqliteStore({ file: place.file, isDead, ...(origin === undefined ? {} : { origin }) });
  try {
    if (use === 'drive') await assertOwn(place, store);
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** The id that a new file records. One that another process is about to make is its own as well, so a look knows the id too. */
function originFor({ state, file }: Place, use: StoreUse): string | undefined {
  if (state === undefined) return undefined;
  return use === 'drive' || !existsSync(file) ? ensureStateId(state) : readStateId(state);
}

/** Opens the database for a command that names a run: without a database there is no such run. */
export async function openForRun(place: Place, prefix: string, use: StoreUse = 'drive'): Promise<Store> {
  if (!existsSync(place.file)) throw noRun(prefix, place);
  return openStore(place, use);
}

/** The full id of the run that a prefix means. */
export async function findRun(store: Store, prefix: string, place: Place): Promise<string> {
  let found = prefix === '' ? [] : await store.resolve(prefix, AMBIGUOUS_SHOWN + 1);
  // Ids are read aloud and typed again: what was typed in capitals is meant as well.
  if (found.length === 0 && prefix !== prefix.toLowerCase()) found = await store.resolve(prefix.toLowerCase(), AMBIGUOUS_SHOWN + 1);
  if (found.length === 1) return found[0] as string;
  if (found.length === 0) throw noRun(prefix, place);
  const shown = found.slice(0, AMBIGUOUS_SHOWN).join(', ');
  throw new EngineError(
    'RUN_AMBIGUOUS',
    `"${prefix}" begins several run ids: ${shown}${found.length > AMBIGUOUS_SHOWN ? ' and more' : ''}; give more of the one you mean`,
    { details: { runs: found } },
  );
}

function noRun(prefix: string, place: Place): EngineError {
  return new EngineError('RUN_NOT_FOUND', `no run "${prefix}" in ${place.file}; "pawl runs" shows those that exist`, {
    details: { run: prefix, file: place.file },
  });
}
