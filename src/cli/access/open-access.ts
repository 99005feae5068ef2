// Owns opening the server's database for a command.

import { existsSync } from 'node:fs';
import type { KeyList } from '../../authority/enrolment.ts';
import { isSamePerson } from '../../base/person.ts';
import { ACCESS_TABLES, type AccessStore, readBaseUrl } from '../../server/access/tables.ts';
import { openServerDatabase, serverFileOf } from '../../server/server-database.ts';
import type { Store } from '../../store/store.ts';
import { accountName } from '../actor.ts';
import type { ParsedArgs } from '../command.ts';
import { keyListOf } from '../identity/identity.ts';
import { closing, findPlace, openStore, type Place } from '../session.ts';
import type { Shell } from '../shell.ts';

/** The server's database, open, and what a command needs with it. */
export interface OpenAccess {
  readonly shell: Shell;
  readonly given: ParsedArgs;
  readonly place: Place;
  readonly store: AccessStore;
  /** The first part of links. */
  readonly baseUrl: string;
  groupsOf(person: string): readonly string[];
  keys(): KeyList;
  /** Opens the database of the runs as well. */
  withRuns<T>(work: (store: Store) => Promise<T>): Promise<T>;
}

/** The name under which who runs the server logs in: that of the account, without what a name may not have. */
export function ownerName(shell: Shell): string {
  const name = accountName(shell)
    .replace(/[^\w.@-]/g, '-')
    .replace(/^[.@-]+/, '');
  return name === '' ? 'owner' : name.slice(0, NAME_MAX);
}

const NAME_MAX = 64;
/** Actions that only read: they create no database. */
const READS: ReadonlySet<string> = new Set(['people', 'groups', 'sessions', 'passkeys', 'audit']);
/** Where links lead before the server has run once. */
const USUAL_URL = 'http://localhost:7411';

/** Opens the server's database while `work` runs. */
export async function openAccess<T>(shell: Shell, given: ParsedArgs, work: (open: OpenAccess) => Promise<T>): Promise<T> {
  const place = await findPlace(shell, given);
  const file = serverFileOf(place.file);
  const reads = READS.has(given.word('ACTION')) || given.allWords('WHAT')[0] === 'list';
  // It lies beside the database of the runs, which says whose both are.
  if (!reads) await closing(await openStore(place), async () => undefined);
  using database = openServerDatabase(reads && !existsSync(file) ? ':memory:' : file, [ACCESS_TABLES]);
  const store = { database, now: () => Date.now() };
  const { groups = {}, serve = {} } = place.settings;
  const known = serve.public_url?.replace(/\/$/, '') ?? readBaseUrl(store);
  return await work({
    ...{ shell, given, place, store, baseUrl: known ?? USUAL_URL },
    groupsOf: (person) => Object.keys(groups).filter((group) => groups[group]?.some((member) => isSamePerson(member, person))),
    keys: () => keyListOf(shell, place.project),
    withRuns: async (use) => closing(await openStore(place), use),
  });
}
