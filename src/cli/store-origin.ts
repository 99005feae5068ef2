// Owns whose a database is. The state folder of a user has a random id, and a database records the id it was created
// under. One with another id came from elsewhere: shipped with a repository, copied from another machine, or found
// because a variable points to another state folder. Its runs carry commands, code and settings that nobody here agreed
// to, so it can be looked at, and nothing in it goes on until a person adopts it.
//
// O1. A database without an id was made by the library or by an earlier version. In the state folder, where only its
//     user puts files, it is bound to that folder the first time it is used; anywhere else it counts as foreign.
// O2. The id is no secret from programs of the same user: it tells apart machines, users and state folders.

import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Right } from '../authority/right.ts';
import { EngineError, messageOf } from '../base/error.ts';
import type { Store } from '../store/store.ts';
import { isInside } from './trust/trust.ts';

/** A database, and the state folder of the user who opens it; without a state folder no database is the user's own. */
export interface OwnedPlace {
  readonly file: string;
  readonly state: string | undefined;
}

const ID = /^[0-9a-f-]{36}$/;

/** The id of a state folder; undefined where there is none yet. */
export function readStateId(state: string): string | undefined {
  const file = idFile(state);
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new EngineError('STORE_UNAVAILABLE', `the id of the state folder cannot be read: ${messageOf(cause)}`, { cause });
  }
  if (ID.test(text)) return text;
  throw new EngineError(
    'CONFIG_INVALID',
    `${file} does not hold the id of this state folder; remove it, then adopt your databases with "pawl db adopt"`,
  );
}

/** The id of a state folder, made when it is first needed; processes that make one at once agree on the first. */
export function ensureStateId(state: string): string {
  const known = readStateId(state);
  if (known !== undefined) return known;
  const file = idFile(state);
  const draft = `${file}.${randomUUID()}`;
  try {
    mkdirSync(state, { recursive: true, mode: 0o700 });
    // Written whole before it has its name, and a name is taken only once.
    writeFileSync(draft, `${randomUUID()}\n`, { mode: 0o600, flag: 'wx' });
    linkSync(draft, file);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST')
      throw new EngineError(
        'STORE_UNAVAILABLE',
        `the id of the state folder cannot be written to ${file}: ${messageOf(cause)}; make the folder writable, or name another with PAWL_STATE`,
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

/** Whether a database came from elsewhere, by the id it records. */
export function isForeign({ file, state }: OwnedPlace, origin: string | undefined): boolean {
  if (state === undefined) return true;
  return origin === undefined ? !liesIn(state, file) : origin !== readStateId(state);
}

/**
 * Refuses upkeep of a database that records another state folder, unless a person at a terminal wants it: a token or a
 * key counts only for what was made under the folder that it lies in.
 */
export function assertUpkeep(
  place: OwnedPlace,
  { origin, right }: { readonly origin: string | undefined; readonly right: Right | undefined },
): void {
  if (right?.by !== 'terminal' && origin !== undefined && isForeign(place, origin)) throw foreign(place);
}

/** Refuses a database that came from elsewhere; one that nobody has claimed yet is bound to the state folder it lies in. */
export async function assertOwn(place: OwnedPlace, store: Store): Promise<void> {
  const origin = await store.origin();
  if (isForeign(place, origin)) throw foreign(place);
  if (origin !== undefined || place.state === undefined) return;
  const bound = await store.bind(ensureStateId(place.state));
  if (isForeign(place, bound)) throw foreign(place);
}

function liesIn(state: string, file: string): boolean {
  try {
    return isInside(realpathSync(state), realpathSync(file));
  } catch {
    return false;
  }
}

function foreign({ file, state }: OwnedPlace): EngineError {
  return new EngineError(
    'STORE_FOREIGN',
    `the database ${file} was not made under your state folder ${state ?? '(there is none: set HOME or PAWL_STATE)'}: it may have come with a repository or from another machine, and its runs hold commands that nobody here agreed to; look at them with "pawl runs --db ${file}" and "pawl show RUN --db ${file}", and if it is yours, "pawl db adopt --db ${file}" at a terminal lets its runs go on`,
    { details: { file, state: state ?? null } },
  );
}
