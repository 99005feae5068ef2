// Owns the routes for logging in and out: the pages for people, and the requests of their script. Only a POST uses up a
// link: a bot that previews it, or a browser that prefetches it, does not.

import { EngineError, ERROR_CODES, isEngineError } from '../../base/error.ts';
import { readBody } from '../body.ts';
import { emptyBody } from '../contract/value.ts';
import { handle, type Route, type ServerApp, type ServerContext } from '../route.ts';
import type { Services } from '../services.ts';
import { type Access, accessOf, addressOf, loginAttempt, proofOf } from './access.ts';
import { recordAudit } from './audit.ts';
import { answers, bodies } from './contract.ts';
import { clearSessionCookie, setSessionCookie } from './cookie.ts';
import { html, type Markup, ownPath, page } from './html.ts';
import { type AccessLink, redeemLink, usableLink } from './links.ts';
import { SCRIPT, STYLE } from './page-files.ts';
import { loginOptions, loginWithPasskey } from './passkeys.ts';
import { createSession, revokeSession, type Session } from './sessions.ts';

const HTML = 'text/html';
/** The largest accepted form, in bytes. */
const FORM_MAX = 200_000;

/** The routes of logging in. */
export const AUTH = {
  login: { method: 'GET', path: '/auth/login', scope: 'public', summary: 'the page to log in', content: HTML },
  link: { method: 'GET', path: '/auth/link/:secret', scope: 'public', summary: 'the page of a one-time link', content: HTML },
  redeemLink: { method: 'POST', path: '/auth/link', scope: 'public', summary: 'logs in with a one-time link', content: HTML },
  register: { method: 'GET', path: '/auth/register', scope: 'view', summary: 'the page to add a passkey', content: HTML },
  passkeyOptions: {
    ...{ method: 'POST', path: '/auth/passkey/options', scope: 'public', summary: 'a challenge to log in with a passkey' },
    ...{ body: emptyBody, answer: answers.options },
  },
  passkey: {
    ...{ method: 'POST', path: '/auth/passkey', scope: 'public', summary: 'logs in with a passkey' },
    // Not `answer`: the reply carries a cookie.
    ...{ body: bodies.passkeyLogin, content: 'application/json' },
  },
  logout: { method: 'POST', path: '/auth/logout', scope: 'public', summary: 'ends the session', content: HTML },
  style: { method: 'GET', path: '/auth/style.css', scope: 'public', summary: 'the styles of these pages', content: 'text/css' },
  script: { method: 'GET', path: '/auth/script.js', scope: 'public', summary: 'the script of these pages', content: 'text/javascript' },
} as const satisfies Readonly<Record<string, Route>>;

/** Mounts logging in. */
export function mountAuth(app: ServerApp, services: Services): void {
  const access = accessOf(services);
  const target = { app, repeats: services.repeats };
  handle(target, AUTH.style, async ({ c }) => c.body(STYLE, 200, { 'content-type': 'text/css; charset=utf-8' }) as unknown as Response);
  handle(
    target,
    AUTH.script,
    async ({ c }) => c.body(SCRIPT, 200, { 'content-type': 'text/javascript; charset=utf-8' }) as unknown as Response,
  );
  handle(target, AUTH.login, async ({ c }) => pageResponse(c, loginPage(nextOf(c))));
  handle(target, AUTH.register, async ({ c, caller }) => pageResponse(c, registerPage(caller.name)));
  handle(target, AUTH.link, async ({ c, param }) =>
    respondWithPage(c, () =>
      loginAttempt(access, c, () => linkPage(usableLink(access, param('secret'), ['login', 'invite']), param('secret'))),
    ),
  );
  handle(target, AUTH.redeemLink, async ({ c }) => {
    const secret = (await readForm(c)).get('secret') ?? '';
    try {
      const { person, kind } = await loginAttempt(access, c, () => redeemLink(access, secret, ['login', 'invite']));
      const page = beginSession(access, c, { person, via: 'link' });
      return pageResponse(c, loggedInPage(page, kind === 'invite' ? '/auth/register' : '/'));
    } catch (error) {
      return respondWithPage(c, () => Promise.reject(error));
    }
  });
  handle(target, AUTH.passkeyOptions, async () => ({ options: { ...(await loginOptions(access)) } }));
  handle(target, AUTH.passkey, async ({ c, body }) => {
    const person = await loginAttempt(access, c, () => loginWithPasskey(access, body.response as never));
    const page = beginSession(access, c, { person: person.name, via: 'passkey' });
    return c.json({ schemaVersion: 1, next: '/', page }) as unknown as Response;
  });
  handle(target, AUTH.logout, async ({ c }) => {
    const caller = c.get('caller');
    const proof = caller === undefined ? undefined : proofOf(caller);
    if (proof?.kind === 'session') revokeSession(access, proof.id);
    clearSessionCookie(c, access.addresses());
    return c.redirect('/auth/login', 303);
  });
}

/** Begins a session and returns the secret that its pages keep. */
function beginSession(access: Access, c: ServerContext, { person, via }: Pick<Session, 'person' | 'via'>): string {
  const address = addressOf(access, c);
  const { secret, page } = createSession(access, { person, via, address, agent: c.req.header('user-agent') ?? '' });
  setSessionCookie(c, access.addresses(), secret);
  recordAudit(access, { person, via, action: 'login', about: '', address, outcome: 'ok' });
  return page;
}

function pageResponse(c: ServerContext, { title, body, status = 200 }: Page): Response {
  return c.html(page(title, body, { script: '/auth/script.js' }), status as 200) as unknown as Response;
}

/** A page to show. */
export interface Page {
  readonly title: string;
  readonly body: Markup;
  readonly status?: number;
}

/** Responds with a page; an EngineError becomes an error page. */
export async function respondWithPage(c: ServerContext, createPage: () => Page | Promise<Page>): Promise<Response> {
  try {
    return pageResponse(c, await createPage());
  } catch (error) {
    if (!isEngineError(error)) throw error;
    const { http: status } = ERROR_CODES[error.code];
    const why = c.get('paths')?.message(error.message) ?? error.message;
    const retryAfter = Number(error.details.retryAfter ?? 0);
    if (retryAfter > 0) c.header('retry-after', String(retryAfter));
    return pageResponse(c, {
      title: 'Request failed',
      status,
      body: html`<h1>Request failed</h1><p class="notice" role="alert">${why}</p><p><a href="/auth/login">Log in</a></p>`,
    });
  }
}

/** The fields of a form. */
export async function readForm(c: ServerContext): Promise<URLSearchParams> {
  const type = (c.req.header('content-type') ?? '').split(';')[0]?.trim();
  if (type !== 'application/x-www-form-urlencoded')
    throw new EngineError('REQUEST_INVALID', `the body must be a form (application/x-www-form-urlencoded), not "${type}"`);
  return new URLSearchParams(Buffer.from(await readBody(c, FORM_MAX)).toString('utf8'));
}

/** Where to go after the login: always a page of this server. */
function nextOf(c: ServerContext): string {
  return ownPath(c.req.query('next') ?? '/');
}

function loginPage(next: string): Page {
  return {
    title: 'Log in to Pawl',
    body: html`<h1>Log in to Pawl</h1>
<p class="notice" data-error role="alert" hidden></p>
<button type="button" class="main" data-act="login" data-next="${next}">Log in with a passkey</button>
<h2>Without a passkey</h2>
<p>Open a one-time link: <code>pawl serve</code> prints one when it starts, and <code>pawl access login NAME</code> prints another at a terminal.</p>`,
  };
}

function linkPage({ person, kind, expiresAt }: AccessLink, secret: string): Page {
  const title = kind === 'invite' ? `Welcome, ${person}` : 'Log in to Pawl';
  return {
    title,
    body: html`<h1>${title}</h1>
<p>This link logs you in as <strong>${person}</strong>. It works once, until ${new Date(expiresAt).toISOString()}.</p>
<form method="post" action="/auth/link"><input type="hidden" name="secret" value="${secret}">
<button type="submit" class="main">Log in as ${person}</button></form>`,
  };
}

/** The page after a login by link: its script stores the secret of the session's pages, and continues. */
function loggedInPage(page: string, next: string): Page {
  return {
    title: 'Logged in',
    body: html`<h1>Logged in</h1><p data-page="${page}" data-next="${next}"><a href="${next}">Continue</a></p>`,
  };
}

function registerPage(person: string): Page {
  return {
    title: 'Add a passkey',
    body: html`<h1>Add a passkey</h1>
<p>You are logged in as <strong>${person}</strong>. With a passkey you can log in again from this device without a link.</p>
<p class="notice" data-error role="alert" hidden></p>
<label for="title">Name, such as "phone"</label>
<input type="text" id="title" name="title" maxlength="60" autocomplete="off">
<div class="choices"><button type="button" class="main" data-act="register" data-next="/">Add a passkey</button></div>
<p><a href="/">Not now</a></p>`,
  };
}
