// Owns links that work once: to log in, to accept an invitation, and to decide one approval. Opening a link changes
// nothing, so that a bot that previews it does not use it up; using it does, in one transaction.

import { digestText } from '../../base/digest.ts';
import { EngineError } from '../../base/error.ts';
import type { Json } from '../../base/json.ts';
import { jsonOf, nullable, number, oneOf, rowAs, text } from '../../base/sql-row.ts';
import { requirePerson } from './people.ts';
import { createId, createSecret, isSecret } from './secret.ts';
import type { AccessStore } from './tables.ts';

type LinkKind = 'login' | 'invite' | 'decide';

/** A link, without its secret. */
export interface AccessLink {
  readonly id: string;
  readonly kind: LinkKind;
  readonly person: string;
  /** For a link that decides, the approval. */
  readonly about: Json;
  readonly createdBy: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly usedAt: number | null;
}

interface NewLink {
  readonly kind: LinkKind;
  readonly person: string;
  readonly about?: Json;
  readonly createdBy: string;
  readonly lifetimeMs: number;
}

/** How long used and expired links are kept, so that opening one shows what happened to it. */
const KEPT_MS = 7 * 24 * 60 * 60 * 1000;

/** Creates a link and returns its secret, which is not stored. */
export function createLink(
  store: AccessStore,
  { kind, person, about = {}, createdBy, lifetimeMs }: NewLink,
): { readonly link: AccessLink; readonly secret: string } {
  const { database, now } = store;
  const { name } = requirePerson(store, person);
  const { secret, hash } = createSecret('link');
  const atMs = now();
  const link: AccessLink = {
    id: createId(),
    kind,
    person: name,
    about,
    createdBy,
    createdAt: atMs,
    expiresAt: atMs + lifetimeMs,
    usedAt: null,
  };
  database.run('DELETE FROM links WHERE expires_at <= ?', atMs - KEPT_MS);
  database.insert('links', { ...link, hash, about: JSON.stringify(about) });
  return { link, secret };
}

/** The link with this secret, used or not; undefined if there is none. */
function findLink({ database }: AccessStore, secret: string): AccessLink | undefined {
  const row = isSecret('link', secret) ? database.get('SELECT * FROM links WHERE hash = ?', digestText(secret)) : undefined;
  return row === undefined ? undefined : linkOf(row);
}

/** The link, if it can still be used; otherwise throws LINK_INVALID with the reason. */
export function usableLink(store: AccessStore, secret: string, kinds: readonly LinkKind[]): AccessLink {
  const link = findLink(store, secret);
  if (link === undefined || !kinds.includes(link.kind))
    throw new EngineError('LINK_INVALID', 'this link is unknown or was revoked; ask for a new one');
  if (link.usedAt !== null)
    throw new EngineError(
      'LINK_INVALID',
      `this link was used on ${new Date(link.usedAt).toISOString()}; it works once, so ask for a new one`,
    );
  if (link.expiresAt <= store.now())
    throw new EngineError('LINK_INVALID', `this link expired on ${new Date(link.expiresAt).toISOString()}; ask for a new one`);
  requirePerson(store, link.person);
  return link;
}

/** Uses up a link. Of two concurrent requests, one gets it. */
export function redeemLink(store: AccessStore, secret: string, kinds: readonly LinkKind[]): AccessLink {
  return store.database.transaction(() => {
    const link = usableLink(store, secret, kinds);
    store.database.run('UPDATE links SET used_at = ? WHERE id = ?', store.now(), link.id);
    return link;
  });
}

/** Restores a link that was used up for something that then failed. */
export function restoreLink({ database }: AccessStore, id: string): void {
  database.run('UPDATE links SET used_at = NULL WHERE id = ?', id);
}

const linkOf = rowAs({
  ...{ id: text, kind: oneOf('login', 'invite', 'decide'), person: text, about: jsonOf<Json>(), createdBy: text },
  ...{ createdAt: number, expiresAt: number, usedAt: nullable(number) },
});
