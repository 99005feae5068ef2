// Owns sessions: a browser has one after a login. A session ends after a while without a request, at the latest after a
// month, or when it is revoked. Only the hash of the cookie is stored.
//
// - Browsers send a cookie to every port of a host, so any other server on this machine gets it when a person opens its
//   page, including a page that an agent serves. A session therefore has a second secret, which our pages keep where only
//   pages of the same port can read it. Without it, the cookie cannot change anything.

import { digestText } from '../../base/digest.ts';
import { number, oneOf, rowAs, type SqlRow, text } from '../../base/sql-row.ts';
import { createId, createSecret, isSecret } from './secret.ts';
import type { AccessStore } from './tables.ts';

/** A session, without its secret. */
export interface Session {
  readonly id: string;
  readonly person: string;
  /** How the person logged in. */
  readonly via: 'link' | 'passkey';
  readonly address: string;
  /** The `User-Agent` of the browser. */
  readonly agent: string;
  readonly createdAt: number;
  readonly seenAt: number;
  readonly expiresAt: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** How long a session lasts without a request. */
const IDLE_MS = 7 * DAY_MS;
/** How long a session and its cookie last at most. */
export const SESSION_MS = 30 * DAY_MS;
/** The precision of `seenAt`, so that not every request is a write. */
const SEEN_MS = 60_000;
const AGENT_MAX = 200;

/** Creates a session. Returns the secret of its cookie and, as `page`, the secret of its pages. */
export function createSession(
  { database, now }: AccessStore,
  login: Pick<Session, 'person' | 'via' | 'address' | 'agent'>,
): { readonly session: Session; readonly secret: string; readonly page: string } {
  const { secret, hash } = createSecret('session');
  const page = createSecret('page');
  const atMs = now();
  const { person, via, address } = login;
  const session: Session = {
    ...{ id: createId(), person, via, address },
    agent: login.agent.slice(0, AGENT_MAX),
    createdAt: atMs,
    seenAt: atMs,
    expiresAt: atMs + SESSION_MS,
  };
  database.run('DELETE FROM sessions WHERE expires_at <= ? OR seen_at <= ?', atMs, atMs - IDLE_MS);
  database.insert('sessions', { ...session, hash, page: page.hash });
  return { session, secret, page: page.secret };
}

/** The session with this secret, if it has not ended; records that it was used. */
export function findSession(store: AccessStore, secret: string): Session | undefined {
  if (!isSecret('session', secret)) return undefined;
  const session = unexpired(store, store.database.get('SELECT * FROM sessions WHERE hash = ?', digestText(secret)));
  const atMs = store.now();
  if (session !== undefined && atMs - session.seenAt >= SEEN_MS)
    store.database.run('UPDATE sessions SET seen_at = ? WHERE id = ?', atMs, session.id);
  return session;
}

/** Whether this is the secret that the pages of a session have. */
export function isPageOf({ database }: AccessStore, id: string, page: string): boolean {
  return isSecret('page', page) && database.get('SELECT 1 FROM sessions WHERE id = ? AND page = ?', id, digestText(page)) !== undefined;
}

/** Whether a session still exists. */
export function hasSession(store: AccessStore, id: string): boolean {
  return unexpired(store, store.database.get('SELECT * FROM sessions WHERE id = ?', id)) !== undefined;
}

/** The sessions that have not ended, of one person or of all, newest first. */
export function readSessions(store: AccessStore, person?: string): readonly Session[] {
  const rows = store.database.all('SELECT * FROM sessions ORDER BY created_at DESC');
  return rows.flatMap((row) => unexpired(store, row) ?? []).filter((session) => person === undefined || session.person === person);
}

/** Ends a session; true if there was one. */
export function revokeSession({ database }: AccessStore, id: string): boolean {
  return database.run('DELETE FROM sessions WHERE id = ?', id) > 0;
}

const sessionOf = rowAs({
  ...{ id: text, person: text, via: oneOf('link', 'passkey'), address: text, agent: text },
  ...{ createdAt: number, seenAt: number, expiresAt: number },
});

function unexpired({ now }: AccessStore, row: SqlRow | undefined): Session | undefined {
  if (row === undefined) return undefined;
  const session = sessionOf(row);
  const atMs = now();
  return session.expiresAt > atMs && session.seenAt + IDLE_MS > atMs ? session : undefined;
}
