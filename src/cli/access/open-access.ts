// Opens the server's database for a command.

import { existsSync } from 'node:fs';
import type { KeyList } from '../../authority/enrolment.ts';
import { isSamePerson } from '../../base/person.ts';
import { ACCESS_TABLES, type AccessStore, readBaseUrl } from '../../server/access/tables.ts';
import { openServerDatabase, serverFileOf } from '../../server/server-database.ts';
import type { Store } from '../../store/store.ts';
import type { ParsedArgs } from '../command.ts';
import { keyListOf } from '../identity/identity.ts';
import { closing, findSetup, openStore, type Setup } from '../session.ts';
import type { Shell } from '../shell.ts';

/** The open database of the server, and what the actions need besides. */
export interface OpenAccess {
  readonly shell: Shell;
  readonly args: ParsedArgs;
  readonly setup: Setup;
  readonly store: AccessStore;
  readonly baseUrl: string;
  groupsOf(person: string): readonly string[];
  keys(): KeyList;
  withRuns<T>(work: (store: Store) => Promise<T>): Promise<T>;
}

/** The login name of the person who runs the server: the name of the account, without characters that names cannot contain. */
export function ownerName(shell: Shell): string {
  const name = shell.account.replace(/[^\w.@-]/g, '-').replace(/^[.@-]+/, '');
  return name === '' ? 'owner' : name.slice(0, NAME_MAX);
}

const NAME_MAX = 64;
/** Actions that only read, and so create no database. */
const READING: ReadonlySet<string> = new Set(['people', 'groups', 'sessions', 'passkeys', 'audit']);
/** The address in links before the server has run for the first time. */
const DEFAULT_URL = 'http://localhost:7411';

/** Opens the server's database while `work` runs. */
export async function openAccess<T>(shell: Shell, args: ParsedArgs, work: (open: OpenAccess) => Promise<T>): Promise<T> {
  const setup = await findSetup(shell, args);
  const file = serverFileOf(setup.file);
  const reads = READING.has(args.word('ACTION')) || args.allWords('WHAT')[0] === 'list';
  // The database of the runs records the owner of both.
  if (!reads) await closing(await openStore(setup), async () => undefined);
  using database = openServerDatabase(reads && !existsSync(file) ? ':memory:' : file, [ACCESS_TABLES]);
  const store = { database, now: () => Date.now() };
  const { groups = {}, serve = {} } = setup.settings;
  const baseUrl = serve.public_url?.replace(/\/$/, '') ?? readBaseUrl(store) ?? DEFAULT_URL;
  return await work({
    ...{ shell, args, setup, store, baseUrl },
    groupsOf: (person) => Object.keys(groups).filter((group) => groups[group]?.some((member) => isSamePerson(member, person))),
    keys: () => keyListOf(shell, setup.project),
    withRuns: async (use) => closing(await openStore(setup), use),
  });
}
