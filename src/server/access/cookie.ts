// Owns the session cookie: scripts cannot read it, other sites cannot send it, and with TLS it is sent over TLS only.

import type { Context } from 'hono';
import { deleteCookie, setCookie } from 'hono/cookie';
import type { Addresses } from './addresses.ts';
import { SESSION_MS } from './sessions.ts';

/**
 * The name of the cookie. With TLS it has the prefix that browsers enforce: no other host and no page without TLS can set
 * it. It contains the port, since all servers on a host share its cookies: a login to one must not end a login to another.
 */
export function cookieName({ isSecure, baseUrl }: Addresses): string {
  const { port } = new URL(baseUrl);
  if (!isSecure) return `pawl_${port || '80'}`;
  return port === '' ? '__Host-pawl' : `__Host-pawl_${port}`;
}

/** Sets the cookie of a session. */
export function setSessionCookie(c: Context, addresses: Addresses, secret: string): void {
  setCookie(c, cookieName(addresses), secret, { ...flagsOf(addresses), maxAge: Math.floor(SESSION_MS / 1000) });
}

/** Deletes the cookie. */
export function clearSessionCookie(c: Context, addresses: Addresses): void {
  deleteCookie(c, cookieName(addresses), flagsOf(addresses));
}

function flagsOf({ isSecure }: Addresses): { path: string; httpOnly: boolean; sameSite: 'Strict'; secure: boolean } {
  return { path: '/', httpOnly: true, sameSite: 'Strict', secure: isSecure };
}
