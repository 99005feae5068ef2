// Owns the checks of every request before its route: the host name, the origin, and the caller. Also writes an audit entry
// for every change, and ends streams when their caller is revoked.
//
// AC1. A request to another host name is rejected, whatever it contains (DNS rebinding).
// AC2. A change by a browser must come from a page of the server: another site, or another port of this machine, is rejected.
// AC3. A secret that is not valid is a failed login and never an anonymous request.
// AC4. Nothing is written to a stream after its caller was revoked.
// AC6. A session cannot change anything without the secret of its pages: the cookie is sent to every port of the machine.

import { getCookie } from 'hono/cookie';
import { EngineError, isEngineError } from '../../base/error.ts';
import type { Caller } from '../caller.ts';
import type { ServerApp, ServerContext } from '../route.ts';
import type { Services } from '../services.ts';
import { type Access, accessOf, addressOf, callerOfSession, callerOfToken, isStillValid, loginFailed, proofOf } from './access.ts';
import { recordAct, recordAudit } from './audit.ts';
import { cookieName } from './cookie.ts';
import { html, ownPath, page } from './html.ts';
import { isPageOf } from './sessions.ts';

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);
/** Health probes use an address instead of a host name, and only learn that the server is up. */
const ALIVE = '/healthz';
const PROBES = new Set([ALIVE, '/readyz']);

/** Mounts the guard. */
export function mountGuard(app: ServerApp, services: Services): void {
  const access = accessOf(services);
  app.use('*', async (c, next) => {
    assertHost(access, c);
    // If the database file was replaced, later revocations are in another file, so no one may be let in.
    if (c.req.path !== ALIVE) access.database.assertInPlace();
    const caller = identify(access, c);
    assertOrigin(access, c, caller);
    if (caller !== undefined) {
      assertPage(access, c, caller);
      c.set('caller', caller);
    } else if (isPageOfApp(c)) return toLogin(c);
    await next();
    if (caller !== undefined) recordRequest(access, c, caller);
    endStreamOnRevocation(access, c, caller);
  });
}

/** AC1. */
function assertHost({ addresses }: Access, c: ServerContext): void {
  if (PROBES.has(c.req.path)) return;
  const { host } = new URL(c.req.url);
  // The request line may contain a host, too.
  const wrong = [c.req.header('host') ?? host, host].find((name) => !addresses().isHost(name));
  if (wrong === undefined) return;
  throw new EngineError(
    'HOST_REFUSED',
    `this server does not answer to the name "${wrong.slice(0, 100)}"; open ${addresses().baseUrl}, or set serve.public_url to the address that you use`,
  );
}

/** Who sent a request, by a session cookie or a personal token (AC3). */
function identify(access: Access, c: ServerContext): Caller | undefined {
  const header = c.req.header('authorization');
  if (header !== undefined && !c.req.path.startsWith('/hooks/')) return byToken(access, c, header);
  const cookie = getCookie(c, cookieName(access.addresses()));
  // An expired cookie is not an attempt to guess one: the browser just still sends it.
  return cookie === undefined ? undefined : callerOfSession(access, cookie);
}

function byToken(access: Access, c: ServerContext, header: string): Caller {
  const [scheme = '', secret = ''] = header.split(' ');
  const caller = scheme.toLowerCase() === 'bearer' ? callerOfToken(access, secret) : undefined;
  if (caller !== undefined) return caller;
  loginFailed(access, addressOf(access, c), 'LOGIN_REQUIRED');
  throw new EngineError(
    'LOGIN_REQUIRED',
    'the token is unknown, revoked or expired; send "Authorization: Bearer TOKEN" with a token that "pawl access token create" printed',
  );
}

/** AC2. A browser never sends a token on its own, so a request with a token needs no origin. */
function assertOrigin({ addresses }: Access, c: ServerContext, caller: Caller | undefined): void {
  const origin = c.req.header('origin');
  const site = c.req.header('sec-fetch-site');
  const isOurs = origin === undefined || addresses().isOrigin(origin);
  if (c.req.path.startsWith('/api/') || !SAFE.has(c.req.method)) {
    const isFromElsewhere = site === 'cross-site' || site === 'same-site';
    if (!isOurs || isFromElsewhere) throw originRefused(origin ?? site ?? '');
  }
  if (SAFE.has(c.req.method) || c.req.path.startsWith('/hooks/') || caller?.via === 'token') return;
  const hasProof = origin !== undefined || site === 'same-origin' || c.req.header('x-pawl') === '1';
  if (!hasProof) throw originRefused(undefined);
}

/** AC6. Starting a run needs no page: an agent may do it, too. */
function assertPage(access: Access, c: ServerContext, caller: Caller): void {
  const proof = proofOf(caller);
  if (proof?.kind !== 'session' || SAFE.has(c.req.method) || !c.req.path.startsWith('/api/') || c.req.path === START) return;
  if (isPageOf(access, proof.id, c.req.header('x-pawl-page') ?? '')) return;
  const [address, outcome] = [addressOf(access, c), 'LOGIN_REQUIRED'];
  recordAudit(access, { person: caller.name, via: caller.via, action: c.req.method, about: c.req.path, address, outcome });
  throw new EngineError(
    'LOGIN_REQUIRED',
    'the request has a session cookie, but not the secret that the pages of that session keep; log in again in this browser, or send a personal token',
  );
}

const START = '/api/v1/runs';

/**
 * The same check for a program with its own logins, whose host names are not all known: a change by a browser must come from
 * a page of the server that the request was sent to, or of its public address.
 */
export function assertOwnPage(c: ServerContext, isOrigin: (origin: string) => boolean): void {
  if (SAFE.has(c.req.method) || c.req.path.startsWith('/hooks/')) return;
  const origin = c.req.header('origin');
  const site = c.req.header('sec-fetch-site');
  const { protocol } = new URL(c.req.url);
  const own = [c.req.header('host'), new URL(c.req.url).host].map((host) => `${protocol}//${host}`);
  const isOurs = origin === undefined || own.includes(origin) || isOrigin(origin);
  if (!isOurs || site === 'cross-site' || site === 'same-site') throw originRefused(origin ?? site ?? '');
}

function originRefused(origin: string | undefined): EngineError {
  const why =
    origin === undefined
      ? 'a change must come from a page of this server: send its Origin, or "X-Pawl: 1"'
      : `it comes from a page of another site (${origin.slice(0, 100)})`;
  return new EngineError('ORIGIN_REFUSED', `the request was refused: ${why}`);
}

/** Whether a browser asks for a page of the dashboard. */
function isPageOfApp(c: ServerContext): boolean {
  const { path, method } = c.req;
  if (!['GET', 'HEAD'].includes(method) || /^\/(?:api|auth|d|hooks|healthz|readyz|metrics)(?:\/|$)/.test(path)) return false;
  return (c.req.header('accept') ?? '').includes('text/html');
}

/**
 * Redirects to the login. The browser does not send the cookie when a page of another site leads here (SameSite=Strict), so
 * such a request is first repeated from one of our pages.
 */
function toLogin(c: ServerContext): Response {
  const { pathname, search } = new URL(c.req.url);
  const here = ownPath(`${pathname}${search}`);
  if (c.req.header('sec-fetch-site') === 'cross-site')
    return c.html(page('Pawl', html`<meta http-equiv="refresh" content="0"><p><a href="${here}">Continue</a></p>`)) as unknown as Response;
  return c.redirect(`/auth/login?next=${encodeURIComponent(here)}`, 303);
}

/** Writes an audit entry for every request that may change something. */
function recordRequest(access: Access, c: ServerContext, caller: Caller): void {
  if (SAFE.has(c.req.method)) return;
  const { status } = c.res;
  const code = status < 400 ? 'ok' : isEngineError(c.error) ? c.error.code : String(status);
  const by = { person: caller.name, via: caller.via, address: addressOf(access, c), outcome: code };
  const acts = c.get('acts');
  if (acts === undefined) recordAudit(access, { ...by, action: c.req.method, about: c.req.path });
  else for (const act of acts) recordAct(access, by, act);
}

/** AC4. */
function endStreamOnRevocation(access: Access, c: ServerContext, caller: Caller | undefined): void {
  const { body, headers } = c.res;
  if (caller === undefined || body === null || !(headers.get('content-type') ?? '').startsWith('text/event-stream')) return;
  let output: TransformStreamDefaultController<Uint8Array> | undefined;
  const check = (): boolean => {
    if (isStillValid(access, caller)) return true;
    access.streams.delete(check);
    output?.terminate();
    return false;
  };
  const through = new TransformStream<Uint8Array, Uint8Array>({
    start: (controller) => {
      output = controller;
    },
    transform: (chunk, controller) => {
      if (check()) controller.enqueue(chunk);
    },
  });
  access.streams.add(check);
  // Both are the end of the stream: the reader disconnected, or `check` ended it.
  body.pipeTo(through.writable).then(
    () => access.streams.delete(check),
    () => access.streams.delete(check),
  );
  c.res = new Response(through.readable, c.res);
}
