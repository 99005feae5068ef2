// Decides which user a database belongs to. A user's state folder has a random id, and a database records the id under which it
// was created. A database with another id came with a repository, from another machine, or because a variable points to
// another state folder. The commands, code and settings in its runs were never reviewed here, so it can be read, but its runs
// do not continue until a person adopts it.
//
// - A database without an id was created by the library or an earlier version. Inside the state folder, where only its user
//   puts files, it is bound to that folder on first use; anywhere else it is foreign.
// - The id is not a secret from programs of the same user: it distinguishes machines, users and state folders.

import { randomUUID } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Right } from '../authority/right.ts';
import { EngineError, isEngineError, messageOf, systemCodeOf } from '../base/error.ts';
import { isWithin } from '../base/inside-folder.ts';
import { readPlainFile } from '../base/plain-file.ts';
import type { Store } from '../store/store.ts';
import { realPath } from './project.ts';

/** A database, and the state folder of the user who opens it. Without a state folder, every database is foreign. */
interface OwnedDatabase {
  readonly file: string;
  readonly state: string | undefined;
}

const ID = /^[0-9a-f-]{36}$/;

/** The id of a state folder; undefined if it has none yet. */
export function readStateId(state: string): string | undefined {
  const file = idFile(state);
  let text: string;
  try {
    text = readPlainFile(file).toString('utf8').trim();
  } catch (cause) {
    if (systemCodeOf(cause) === 'ENOENT') return undefined;
    throw new EngineError('STORE_UNAVAILABLE', `cannot read the id of the state folder: ${messageOf(cause)}`, { cause });
  }
  if (ID.test(text)) return text;
  throw new EngineError('CONFIG_INVALID', `${file} does not contain a valid id; remove it, then adopt your databases with "pawl db adopt"`);
}

/** The id of a state folder, created on first use; processes that create it at the same time agree on the first. */
export function ensureStateId(state: string): string {
  const known = readStateId(state);
  if (known !== undefined) return known;
  const file = idFile(state);
  const draft = `${file}.${randomUUID()}`;
  try {
    mkdirSync(state, { recursive: true, mode: 0o700 });
    // A link gives a complete file its name, and only one process can create that name.
    writeFileSync(draft, `${randomUUID()}\n`, { mode: 0o600, flag: 'wx' });
    linkSync(draft, file);
  } catch (cause) {
    if (systemCodeOf(cause) !== 'EEXIST')
      throw new EngineError(
        'STORE_UNAVAILABLE',
        `cannot write the id of the state folder to ${file}: ${messageOf(cause)}; make the folder writable, or choose another with PAWL_STATE`,
        { cause },
      );
  } finally {
    rmSync(draft, { force: true });
  }
  return readStateId(state) as string;
}

function idFile(state: string): string {
  return join(state, 'id');
}

/** Whether a database belongs to another state folder, by its recorded id. */
export function isForeign({ file, state }: OwnedDatabase, origin: string | undefined): boolean {
  if (state === undefined) return true;
  return origin === undefined ? !isInState(state, file) : origin !== readStateId(state);
}

/**
 * Throws for maintenance of a foreign database, unless a person at a terminal asks for it: a token or a key only counts
 * for databases of its own state folder.
 */
export function assertMayMaintain(
  database: OwnedDatabase,
  { origin, right }: { readonly origin: string | undefined; readonly right: Right | undefined },
): void {
  if (right?.by !== 'terminal' && origin !== undefined && isForeign(database, origin)) throw foreign(database);
}

/** The same for a file that may be missing or damaged. */
export async function assertMayMaintainFile(database: OwnedDatabase, right: Right | undefined): Promise<void> {
  if (!existsSync(database.file)) return;
  const { inspectFile } = await import('../store/sqlite/inspect.ts');
  assertMayMaintain(database, { origin: unlessDamaged(() => inspectFile(database.file))?.origin, right });
}

/** Throws for a foreign database; one without an id is bound to the state folder that contains it. */
export async function assertOwn(database: OwnedDatabase, store: Store): Promise<void> {
  const origin = await store.origin();
  if (isForeign(database, origin)) throw foreign(database);
  if (origin !== undefined || database.state === undefined) return;
  const bound = await store.bind(ensureStateId(database.state));
  if (isForeign(database, bound)) throw foreign(database);
}

function isInState(state: string, file: string): boolean {
  const [folder, path] = [realPath(state), realPath(file)];
  return folder !== undefined && path !== undefined && isWithin(folder, path);
}

function foreign({ file, state }: OwnedDatabase): EngineError {
  return new EngineError(
    'STORE_FOREIGN',
    `database ${file} was not created under your state folder ${state ?? '(there is none: set HOME or PAWL_STATE)'}: it may have come with a repository or from another machine, and its runs may contain commands that no one here has reviewed; inspect them with "pawl runs --db ${file}" and "pawl show RUN --db ${file}"; if the database is yours, run "pawl db adopt --db ${file}" at a terminal to let its runs continue`,
    { details: { file, state: state ?? null } },
  );
}

/** Throws while a live process drives a run of a database; `why` completes the error. */
export async function assertNotDriven(file: string, why: string): Promise<void> {
  if (!existsSync(file)) return;
  const [{ inspectFile }, { isDead }] = await Promise.all([import('../store/sqlite/inspect.ts'), import('../process/owner.ts')]);
  const driven = unlessDamaged(() => inspectFile(file).owned.find(({ owner }) => !isDead(owner)));
  if (driven === undefined) return;
  throw new EngineError('RUN_LOCKED', `run ${driven.run} of ${file} is driven by ${driven.owner}, and ${why}`, {
    details: { run: driven.run, owner: driven.owner },
  });
}

function unlessDamaged<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (isEngineError(error) && error.code === 'STORE_DAMAGED') return undefined;
    throw error;
  }
}
