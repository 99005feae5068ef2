// Owns the login links: the one that `pawl serve` prints, invitations, and new links for existing people. The command line
// and the API share it.

import type { LoginScope } from '../../authority/rights.ts';
import { LOGIN_SCOPES } from '../../authority/rights.ts';
import type { Addresses } from './addresses.ts';
import { lifetimeOf } from './lifetimes.ts';
import { createLink } from './links.ts';
import { addPerson, findPerson, type Person } from './people.ts';
import type { AccessStore } from './tables.ts';

/** A link as it is shown, once. */
export interface ShownLink {
  readonly person: string;
  readonly url: string;
  readonly expiresAt: string;
}

interface LinkRequest {
  readonly person: string;
  readonly by: string;
  readonly expires?: string | undefined;
}

type Base = Pick<Addresses, 'baseUrl'>;

/** Creates a link with which an existing person logs in once. */
export function loginLink(store: AccessStore, { baseUrl }: Base, { person, by, expires }: LinkRequest): ShownLink {
  return shown(baseUrl, createLink(store, { kind: 'login', person, createdBy: by, lifetimeMs: lifetimeOf(expires, 'login') }));
}

/** Makes sure that the person who runs the server can log in and manages the others. */
export function ensureOwner(store: AccessStore, name: string): void {
  if (findPerson(store, name) === undefined) addPerson(store, { name, scopes: LOGIN_SCOPES, manages: true, invitedBy: name });
}

/** Adds a person and returns the link to send them. */
export function invite(
  store: AccessStore,
  { baseUrl }: Base,
  {
    person,
    by,
    expires,
    scopes = LOGIN_SCOPES,
    manages = false,
  }: LinkRequest & { readonly scopes?: readonly LoginScope[]; readonly manages?: boolean },
): { readonly person: Person; readonly link: ShownLink } {
  const lifetimeMs = lifetimeOf(expires, 'invite');
  const added = store.database.transaction(() => addPerson(store, { name: person, scopes, manages, invitedBy: by }));
  return { person: added, link: shown(baseUrl, createLink(store, { kind: 'invite', person: added.name, createdBy: by, lifetimeMs })) };
}

function shown(baseUrl: string, { link, secret }: ReturnType<typeof createLink>): ShownLink {
  return { person: link.person, url: `${baseUrl}/auth/link/${secret}`, expiresAt: new Date(link.expiresAt).toISOString() };
}
