// Owns the session cookie: no script can read it, no other site sends it, and it goes over TLS only where there is TLS.

import type { Context } from 'hono';
import { deleteCookie, setCookie } from 'hono/cookie';
import type { Addresses } from './addresses.ts';
import { SESSION_MS } from './sessions.ts';

/**
 * The name of the cookie. With TLS it has the prefix that browsers enforce: no other host and no page without TLS can set
 * it. Without TLS it has the port: several servers of one machine share the cookies of "localhost".
 */
export function cookieName({ isSecure, baseUrl }: Addresses): string {
  return isSecure ? '__Host-pawl' : `pawl_${new URL(baseUrl).port || '80'}`;
}

/** Sets the cookie of a session. */
export function setSessionCookie(c: Context, addresses: Addresses, secret: string): void {
  setCookie(c, cookieName(addresses), secret, { ...flagsOf(addresses), maxAge: Math.floor(SESSION_MS / 1000) });
}

/** Takes the cookie away. */
export function clearSessionCookie(c: Context, addresses: Addresses): void {
  deleteCookie(c, cookieName(addresses), flagsOf(addresses));
}

function flagsOf({ isSecure }: Addresses): { path: string; httpOnly: boolean; sameSite: 'Strict'; secure: boolean } {
  return { path: '/', httpOnly: true, sameSite: 'Strict', secure: isSecure };
}
