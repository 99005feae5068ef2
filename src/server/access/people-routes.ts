// Owns people, tokens, sessions, passkeys and the audit in the API. Everybody sees and revokes their own; people who
// manage people see and revoke everything.
//
// - Creating something that grants rights (an invitation, a token, a passkey, a link) requires a login in the browser: a
//   token cannot create another one, so that revoking it ends everything that it allowed.

import { fingerprintOf } from '../../authority/keys.ts';
import { rightOf } from '../../authority/right.ts';
import { EngineError } from '../../base/error.ts';
import { omitUndefined } from '../../base/fields.ts';
import type { Caller } from '../caller.ts';
import { sessionReport as session } from '../contract/project.ts';
import { emptyBody } from '../contract/value.ts';
import { handle, type Route, type ServerApp } from '../route.ts';
import type { Services } from '../services.ts';
import { type Access, accessOf, endRevokedStreams, groupsOf, proofOf } from './access.ts';
import { readAudit } from './audit.ts';
import { answers, bodies, queries } from './contract.ts';
import { invite, loginLink } from './invitations.ts';
import { lifetimeOf } from './lifetimes.ts';
import { type Passkey, readPasskeys, registerPasskey, registrationOptions, revokePasskey } from './passkeys.ts';
import { findPerson, type Person, readPeople, requirePerson, revokePerson } from './people.ts';
import { auditReport, passkeyReport, personReport, sessionReport, tokenReport } from './reports.ts';
import { readSessions, revokeSession } from './sessions.ts';
import { createToken, readTokens, revokeToken } from './tokens.ts';

const V1 = '/api/v1';

/** The routes of people, and of their tokens, sessions and passkeys. */
export const PEOPLE = {
  session: { method: 'GET', path: `${V1}/session`, scope: 'view', summary: 'who is logged in, and what they may do', answer: session },
  people: { method: 'GET', path: `${V1}/people`, scope: 'view', summary: 'the people who may log in', answer: answers.people },
  invite: {
    ...{ method: 'POST', path: `${V1}/people`, scope: 'decide', summary: 'invites a person; the link is shown once', status: 201 },
    ...{ body: bodies.invite, answer: answers.person },
  },
  revokePerson: {
    ...{
      method: 'DELETE',
      path: `${V1}/people/:name`,
      scope: 'decide',
      summary: 'revokes a person, with all sessions, tokens and passkeys',
    },
    answer: answers.person,
  },
  loginLink: {
    ...{ method: 'POST', path: `${V1}/people/:name/link`, scope: 'decide', summary: 'a new one-time link to log in', status: 201 },
    ...{ body: bodies.loginLink, answer: answers.link },
  },
  groups: { method: 'GET', path: `${V1}/groups`, scope: 'view', summary: 'the groups of the settings', answer: answers.groups },
  tokens: { method: 'GET', path: `${V1}/tokens`, scope: 'view', summary: 'personal tokens', answer: answers.tokens },
  createToken: {
    ...{ method: 'POST', path: `${V1}/tokens`, scope: 'view', summary: 'creates a personal token; its secret is shown once', status: 201 },
    ...{ body: bodies.token, answer: answers.token },
  },
  revokeToken: { method: 'DELETE', path: `${V1}/tokens/:id`, scope: 'view', summary: 'revokes a token', answer: answers.revoked },
  sessions: { method: 'GET', path: `${V1}/sessions`, scope: 'view', summary: 'the sessions of browsers', answer: answers.sessions },
  revokeSession: { method: 'DELETE', path: `${V1}/sessions/:id`, scope: 'view', summary: 'ends a session', answer: answers.revoked },
  passkeys: { method: 'GET', path: `${V1}/passkeys`, scope: 'view', summary: 'registered passkeys', answer: answers.passkeys },
  passkeyOptions: {
    ...{ method: 'POST', path: `${V1}/passkeys/options`, scope: 'view', summary: 'a challenge to register a passkey' },
    ...{ body: emptyBody, answer: answers.options },
  },
  registerPasskey: {
    ...{ method: 'POST', path: `${V1}/passkeys`, scope: 'view', summary: 'registers a passkey', status: 201 },
    ...{ body: bodies.passkey, answer: answers.passkey },
  },
  revokePasskey: { method: 'DELETE', path: `${V1}/passkeys/:id`, scope: 'view', summary: 'revokes a passkey', answer: answers.revoked },
  audit: {
    ...{ method: 'GET', path: `${V1}/audit`, scope: 'view', summary: 'who did what, when and from where' },
    ...{ query: queries.audit, answer: answers.audit },
  },
} as const satisfies Readonly<Record<string, Route>>;

/** Mounts the routes. */
export function mountPeople(app: ServerApp, services: Services): void {
  const access = accessOf(services);
  const target = { app, repeats: services.repeats };
  handle(target, PEOPLE.session, async ({ caller: { name, groups, scopes } }) => ({
    person: { name, groups: [...groups], manages: findPerson(access, name)?.manages === true },
    scopes: [...scopes],
    project: { name: services.project.name },
    projects: [...(services.project.otherProjects?.() ?? [])],
    version: services.version,
  }));
  mountPersons(target, access);
  mountTokens(target, access);
  mountSessions(target, access);
  mountPasskeys(target, access);
  handle(target, PEOPLE.audit, async ({ caller, query: { person, cursor, limit } }) => {
    const shownPerson = manages(access, caller) ? person : caller.name;
    const entries = readAudit(access, {
      limit,
      ...(cursor === undefined ? {} : { before: Number(cursor) }),
      ...omitUndefined({ person: shownPerson }),
    });
    const last = entries.length < limit ? undefined : entries.at(-1);
    return { entries: entries.map(auditReport), next: last === undefined ? null : String(last.id) };
  });
}

type RouteMount = Parameters<typeof handle>[0];

function mountPersons(target: RouteMount, access: Access): void {
  const { services } = access;
  const report = (person: Person) => personReport(person, groupsOf(services, person.name));
  handle(target, PEOPLE.people, async () => ({ people: readPeople(access).map(report) }));
  handle(target, PEOPLE.groups, async () => ({
    groups: Object.entries(services.groups()).map(([name, people]) => ({ name, people: [...people] })),
  }));
  handle(target, PEOPLE.invite, async ({ caller, body: { name, scopes, manages: isManager, expires }, note }) => {
    note({ action: 'invite', about: name });
    assertManages(access, caller, 'invite');
    const invited = invite(access, access.addresses(), {
      person: name,
      by: caller.name,
      expires,
      ...(scopes && { scopes }),
      manages: isManager,
    });
    return { person: report(invited.person), link: invited.link };
  });
  handle(target, PEOPLE.revokePerson, async ({ caller, param, note }) => {
    note({ action: 'revoke', about: param('name') });
    assertManages(access, caller, 'revoke');
    const person = revokePerson(access, param('name'));
    endRevokedStreams(access);
    return { person: report(person) };
  });
  handle(target, PEOPLE.loginLink, async ({ caller, param, body: { expires }, note }) => {
    note({ action: 'login link', about: param('name') });
    assertManages(access, caller, 'login');
    return loginLink(access, access.addresses(), { person: param('name'), by: caller.name, expires });
  });
}

function mountTokens(target: RouteMount, access: Access): void {
  handle(target, PEOPLE.tokens, async ({ caller }) => ({
    tokens: readTokens(access, visiblePerson(access, caller)).map((token) => tokenReport(token, access.now())),
  }));
  handle(target, PEOPLE.createToken, async ({ caller, body: { name, scopes = ['view' as const], expires }, note }) => {
    note({ action: 'token create', about: name });
    assertInBrowser(caller, 'token create');
    const more = scopes.filter((scope) => !caller.scopes.has(scope));
    if (more.length > 0)
      throw new EngineError('NOT_ALLOWED', `you do not have the scope "${more.join('", "')}", so a token cannot have it`);
    const { token, secret } = createToken(access, { person: caller.name, name, scopes, lifetimeMs: lifetimeOf(expires, 'token') });
    return { token: tokenReport(token, access.now()), secret };
  });
  handle(target, PEOPLE.revokeToken, async ({ caller, param, note }) => {
    note({ action: 'token revoke', about: readTokens(access).find(({ id }) => id === param('id'))?.name ?? param('id') });
    const id = requireOwn(access, caller, { kind: 'token', id: param('id'), all: readTokens(access) });
    revokeToken(access, id);
    return revoked(access, id);
  });
}

function mountSessions(target: RouteMount, access: Access): void {
  handle(target, PEOPLE.sessions, async ({ caller }) => {
    const mine = proofOf(caller)?.id;
    return { sessions: readSessions(access, visiblePerson(access, caller)).map((session) => sessionReport(session, session.id === mine)) };
  });
  handle(target, PEOPLE.revokeSession, async ({ caller, param }) => {
    const id = requireOwn(access, caller, { kind: 'session', id: param('id'), all: readSessions(access) });
    revokeSession(access, id);
    return revoked(access, id);
  });
}

function mountPasskeys(target: RouteMount, access: Access): void {
  const report = (passkey: Passkey) => passkeyReport(passkey, isEnrolled(access.services, passkey));
  handle(target, PEOPLE.passkeys, async ({ caller }) => ({ passkeys: readPasskeys(access, visiblePerson(access, caller)).map(report) }));
  handle(target, PEOPLE.passkeyOptions, async ({ caller }) => {
    assertInBrowser(caller, 'passkey create');
    return { options: { ...(await registrationOptions(access, requirePerson(access, caller.name))) } };
  });
  handle(target, PEOPLE.registerPasskey, async ({ caller, body: { response, title } }) => {
    assertInBrowser(caller, 'passkey create');
    return { passkey: report(await registerPasskey(access, requirePerson(access, caller.name), { response: response as never, title })) };
  });
  handle(target, PEOPLE.revokePasskey, async ({ caller, param }) => {
    const id = requireOwn(access, caller, { kind: 'passkey', id: param('id'), all: readPasskeys(access) });
    revokePasskey(access, id);
    return revoked(access, id);
  });
}

/** Whether a passkey is on the list of keys whose signatures count. */
function isEnrolled({ keys }: Services, { key }: Passkey): boolean {
  const found = keys().find(fingerprintOf({ key }));
  return found !== undefined && found.revokedAt === undefined;
}

function revoked(access: Access, id: string): { readonly revoked: string } {
  endRevokedStreams(access);
  return { revoked: id };
}

/** Whether a caller manages people. A token never does. */
function manages(access: Access, caller: Caller): boolean {
  return caller.via !== 'token' && findPerson(access, caller.name)?.manages === true;
}

/** The person whose tokens, sessions and passkeys a caller sees; undefined for a caller who sees those of everyone. */
function visiblePerson(access: Access, caller: Caller): string | undefined {
  return manages(access, caller) ? undefined : caller.name;
}

/** Throws unless the caller logged in at a browser. */
function assertInBrowser({ via }: Caller, on: string): void {
  if (via === 'session' || via === 'passkey') return;
  throw new EngineError('NOT_ALLOWED', `"${on}" requires a login in the browser, but this request came with a ${via}`);
}

/** Throws unless the caller manages people. A token never does. */
export function assertManages(access: Access, caller: Caller, on: string): void {
  rightOf(caller, { demand: 'decide', on: `access ${on}`, withoutToken: true });
  if (manages(access, caller)) return;
  throw new EngineError('NOT_ALLOWED', `${caller.name} cannot manage people here; "pawl access people" shows who can`);
}

interface RevocableItem {
  readonly kind: string;
  readonly id: string;
  readonly all: readonly { readonly id: string; readonly person: string }[];
}

/** The id of an item that the caller may revoke. For items of other people the error is the same as for unknown ones. */
function requireOwn(access: Access, caller: Caller, { kind, id, all }: RevocableItem): string {
  const found = all.find((item) => item.id === id);
  if (found !== undefined && (found.person === caller.name || manages(access, caller))) return id;
  throw new EngineError('RESOURCE_UNKNOWN', `you have no ${kind} "${id.slice(0, 100)}"; GET /api/v1/${kind}s lists yours`);
}
