// Owns personal tokens for programs: a person and some of their scopes, with an expiry. The secret is shown once; only its
// hash is stored. A token never allows more than its person may do now.

import type { LoginScope } from '../../authority/rights.ts';
import { digestText } from '../../base/digest.ts';
import { EngineError } from '../../base/error.ts';
import { nullable, number, rowAs, text } from '../../base/sql-row.ts';
import { requirePerson, scopesIn, withView } from './people.ts';
import { createId, createSecret, isSecret } from './secret.ts';
import type { AccessStore } from './tables.ts';

/** A token, without its secret. */
export interface AccessToken {
  readonly id: string;
  readonly person: string;
  /** The name that its person gave it. */
  readonly name: string;
  readonly scopes: readonly LoginScope[];
  readonly createdAt: number;
  readonly seenAt: number | null;
  readonly expiresAt: number;
}

const NAME = /^[\w][\w .@-]{0,63}$/;
const SEEN_MS = 60_000;

/** Creates a token and returns its secret, which is not stored. */
export function createToken(
  store: AccessStore,
  {
    person,
    name,
    scopes,
    lifetimeMs,
  }: { readonly person: string; readonly name: string; readonly scopes: readonly LoginScope[]; readonly lifetimeMs: number },
): { readonly token: AccessToken; readonly secret: string } {
  const { database, now } = store;
  const owner = requirePerson(store, person);
  if (!NAME.test(name))
    throw new EngineError('USAGE', `the name of a token must be at most 64 letters, digits, spaces and ". - _ @", not "${name}"`);
  const more = scopes.filter((scope) => !owner.scopes.includes(scope));
  if (more.length > 0)
    throw new EngineError('NOT_ALLOWED', `${owner.name} does not have the scope "${more.join('", "')}", so a token cannot have it`);
  const { secret, hash } = createSecret('token');
  const atMs = now();
  const token: AccessToken = {
    ...{ id: createId(), person: owner.name, name, scopes: withView(scopes) },
    ...{ createdAt: atMs, seenAt: null, expiresAt: atMs + lifetimeMs },
  };
  database.run('DELETE FROM tokens WHERE expires_at <= ?', atMs);
  if (database.get('SELECT 1 FROM tokens WHERE person = ? AND name = ?', owner.name, name) !== undefined)
    throw new EngineError('USAGE', `${owner.name} already has a token "${name}"; revoke it first, or choose another name`);
  database.insert('tokens', { ...token, hash, scopes: token.scopes.join(' ') });
  return { token, secret };
}

/** The token with this secret, if it has not expired; records that it was used. */
export function findToken(store: AccessStore, secret: string): AccessToken | undefined {
  if (!isSecret('token', secret)) return undefined;
  const row = store.database.get('SELECT * FROM tokens WHERE hash = ?', digestText(secret));
  const token = row === undefined ? undefined : tokenOf(row);
  const atMs = store.now();
  if (token === undefined || token.expiresAt <= atMs) return undefined;
  if (atMs - (token.seenAt ?? 0) >= SEEN_MS) store.database.run('UPDATE tokens SET seen_at = ? WHERE id = ?', atMs, token.id);
  return token;
}

/** Whether a token still exists. */
export function hasToken({ database, now }: AccessStore, id: string): boolean {
  return database.get('SELECT 1 FROM tokens WHERE id = ? AND expires_at > ?', id, now()) !== undefined;
}

/** The tokens of one person or of all, oldest first. */
export function readTokens({ database }: AccessStore, person?: string): readonly AccessToken[] {
  const all = database.all('SELECT * FROM tokens ORDER BY created_at, id').map(tokenOf);
  return all.filter((token) => person === undefined || token.person === person);
}

/** Revokes a token; true if there was one. */
export function revokeToken({ database }: AccessStore, id: string): boolean {
  return database.run('DELETE FROM tokens WHERE id = ?', id) > 0;
}

const tokenOf = rowAs({
  ...{ id: text, person: text, name: text, scopes: (value, name) => scopesIn(text(value, name)) },
  ...{ createdAt: number, seenAt: nullable(number), expiresAt: number },
});
