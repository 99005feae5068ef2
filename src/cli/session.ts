// Opens the database of a command, and finds the run with a given id prefix. A command that only reads never creates
// a database.

import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { EngineError, isEngineError } from '../base/error.ts';
import { omitUndefined } from '../base/fields.ts';
import { isDead, watchOwners } from '../process/owner.ts';
import { assertNotRemoved } from '../store/sqlite/anchor.ts';
import { openSqliteStore } from '../store/sqlite/open.ts';
import type { RunSummary, Store } from '../store/store.ts';
import type { ParsedArgs } from './command.ts';
import { findProject, type Project, projectState, stateHome } from './project.ts';
import { readSettings, type Settings } from './settings/settings.ts';
import type { Shell } from './shell.ts';
import { assertOwn, ensureStateId, readStateId } from './store-origin.ts';
import { isKnownSigned } from './trust/signed-projects.ts';

/** The project, settings and database of a command, and what set the path of the database. */
export interface Setup {
  readonly project: Project;
  readonly settings: Settings;
  readonly file: string;
  readonly because: 'option' | 'environment' | 'config' | 'default';
  /** The state folder of this user; undefined if the user has no home folder. */
  readonly state: string | undefined;
  readonly warn: (text: string) => void;
}

/** Why a database is opened. To drive runs or decide, it must belong to this user; any can be looked at. */
type StoreUse = 'drive' | 'read';

const AMBIGUOUS_SHOWN = 5;

/** Finds the project, the settings and the database of a command; the database need not exist. */
export async function findSetup(shell: Shell, args: ParsedArgs): Promise<Setup> {
  const project = findProject(shell, args);
  const stored = await readSettings(shell, project);
  // A project that once required signatures still does, even if its settings were changed or hidden since.
  const isSigned = stored.decisions === undefined && stateOf(shell) !== undefined && isKnownSigned(shell, project);
  const settings = isSigned ? { ...stored, decisions: 'signed' as const } : stored;
  const at = (file: string, because: Setup['because']): Setup => ({
    ...{ project, settings, file, because },
    state: stateOf(shell),
    warn: (text) => shell.warn(text),
  });
  const named = args.option('db');
  if (named !== undefined) return at(resolve(shell.cwd, named), 'option');
  const set = shell.env.PAWL_DB;
  if (set !== undefined && set !== '') return at(resolve(shell.cwd, set), 'environment');
  if (settings.db !== undefined) return at(resolve(project.root, settings.db), 'config');
  return at(join(projectState(shell, project), 'runs.db'), 'default');
}

/** The path of the database of a command. */
export async function databaseOf(shell: Shell, args: ParsedArgs): Promise<string> {
  return (await findSetup(shell, args)).file;
}

function stateOf(shell: Shell): string | undefined {
  try {
    return stateHome(shell);
  } catch (error) {
    if (!isEngineError(error)) throw error;
    return undefined;
  }
}

/** Opens the database for reading; undefined if it does not exist. One from --db, or with a named run, must exist. */
export async function openExisting(setup: Setup, prefix?: string): Promise<OpenedStore | undefined> {
  if (prefix !== undefined) return openForRun(setup, prefix, 'read');
  assertNamedExists(setup);
  return existsSync(setup.file) ? openStore(setup, 'read') : undefined;
}

function assertNamedExists({ file, because }: Setup): void {
  assertNotRemoved(file);
  if (because === 'option' && !existsSync(file))
    throw new EngineError('STORE_UNAVAILABLE', `database ${file} does not exist; check the path in --db`, { details: { file } });
}

/** The database of a command, which `await using` closes. */
export type OpenedStore = Store & AsyncDisposable;

/** Opens the database, and creates it if needed; to drive runs, it must belong to this user. */
export async function openStore(setup: Setup, use: StoreUse = 'drive'): Promise<OpenedStore> {
  const folder = dirname(setup.file);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new EngineError(
      'STORE_UNAVAILABLE',
      `cannot create the folder ${folder} for the database; choose another path with --db or PAWL_DB`,
      { cause },
    );
  }
  watchOwners(setup.file);
  const origin = originFor(setup, use);
  const store = await openSqliteStore({ file: setup.file, isDead, ...omitUndefined({ origin }) });
  try {
    if (use === 'drive') {
      if (store.loss !== undefined) throw store.loss;
      await assertOwn(setup, store);
    } else if (store.loss !== undefined) setup.warn(store.loss.message);
    return Object.assign(store, { [Symbol.asyncDispose]: () => store.close() });
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** The id to record in a new file, which reading may create too. */
function originFor({ state, file }: Setup, use: StoreUse): string | undefined {
  if (state === undefined) return undefined;
  return use === 'drive' || !existsSync(file) ? ensureStateId(state) : readStateId(state);
}

/** A run in an open database. */
export interface OpenRun {
  readonly setup: Setup;
  readonly store: Store;
  readonly id: string;
}

/** Finds the run that a command names, and keeps its database open while `work` runs. */
export async function withRun<T>(shell: Shell, work: (run: OpenRun) => Promise<T>, use: StoreUse = 'drive'): Promise<T> {
  const { args } = shell;
  const setup = await findSetup(shell, args);
  const prefix = args.word('RUN');
  await using store = await openForRun(setup, prefix, use);
  return await work({ setup, store, id: await findRun(store, prefix, setup) });
}

/** Closes a store or another resource when `work` is done. */
export async function closing<S extends { close(): Promise<void> }, T>(open: S, work: (open: S) => Promise<T>): Promise<T> {
  try {
    return await work(open);
  } finally {
    await open.close();
  }
}

/** Opens the database for a command about one run; without a database the run does not exist. */
export async function openForRun(setup: Setup, prefix: string | undefined, use: StoreUse = 'drive'): Promise<OpenedStore> {
  assertNamedExists(setup);
  if (!existsSync(setup.file)) throw noRun(prefix, setup);
  return openStore(setup, use);
}

/** Opens the run that a command shows: the one it names, else the last one, whose id is printed to stderr. */
export async function withShownRun<T>(shell: Shell, work: (run: OpenRun) => Promise<T>): Promise<T> {
  const setup = await findSetup(shell, shell.args);
  const prefix = shell.args.maybe('RUN');
  await using store = await openForRun(setup, prefix, 'read');
  if (prefix !== undefined) return await work({ setup, store, id: await findRun(store, prefix, setup) });
  const [newest] = await store.list({ limit: 1 });
  if (newest === undefined) throw noRun(undefined, setup);
  const last = await rootOf(store, newest);
  shell.context.stderr.write(`the last run of this project: ${last.id}\n`);
  return await work({ setup, store, id: last.id });
}

/** The top-level run: a child run is part of its parent. */
async function rootOf(store: Store, run: RunSummary): Promise<RunSummary> {
  if (run.parent === undefined) return run;
  const [parent] = await store.list({ id: run.parent });
  // A parent may have been pruned.
  return parent === undefined ? run : rootOf(store, parent);
}

/** The full id of the run with this prefix. */
export async function findRun(store: Store, prefix: string, setup: Setup): Promise<string> {
  let matches = prefix === '' ? [] : await store.resolve(prefix, AMBIGUOUS_SHOWN + 1);
  // People may type an id in capitals.
  if (matches.length === 0 && prefix !== prefix.toLowerCase()) matches = await store.resolve(prefix.toLowerCase(), AMBIGUOUS_SHOWN + 1);
  if (matches.length === 1) return matches[0] as string;
  if (matches.length === 0) throw noRun(prefix, setup);
  const shown = matches.slice(0, AMBIGUOUS_SHOWN).join(', ');
  throw new EngineError(
    'RUN_AMBIGUOUS',
    `"${prefix}" matches several runs: ${shown}${matches.length > AMBIGUOUS_SHOWN ? ' and more' : ''}; give more characters`,
    { details: { runs: matches } },
  );
}

function noRun(prefix: string | undefined, setup: Setup): EngineError {
  const message =
    prefix === undefined
      ? `no runs in ${setup.file} yet; "pawl run WORKFLOW" starts one`
      : `no run "${prefix}" in ${setup.file}; "pawl runs" lists the runs`;
  return new EngineError('RUN_NOT_FOUND', message, { details: { ...omitUndefined({ run: prefix }), file: setup.file } });
}
