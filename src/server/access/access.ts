// Owns the state that the parts of access share: the storage, the limit on failed logins, the open streams, and how a
// session or token identifies a caller.

import { LOGIN_SCOPES } from '../../authority/rights.ts';
import { EngineError } from '../../base/error.ts';
import { isSamePerson } from '../../base/person.ts';
import type { Caller } from '../caller.ts';
import type { ServerContext } from '../route.ts';
import type { Services } from '../services.ts';
import { recordAudit } from './audit.ts';
import { FailedLogins } from './failed-logins.ts';
import type { PasskeyStore } from './passkeys.ts';
import { findPerson, type Person } from './people.ts';
import { findSession, hasSession } from './sessions.ts';
import { findToken, hasToken } from './tokens.ts';

/** The state of access of one server. */
export interface Access extends PasskeyStore {
  readonly services: Services;
  readonly failures: FailedLogins;
  /** A check for each open stream, which ends the stream if its caller is no longer valid. */
  readonly streams: Set<() => void>;
}

/** How a caller was authenticated. */
type Proof = { readonly kind: 'session' | 'token'; readonly id: string; readonly person: string };

const accessByServices = new WeakMap<Services, Access>();
const proofs = new WeakMap<Caller, Proof>();

/** The state of access of a server. */
export function accessOf(services: Services): Access {
  const existing = accessByServices.get(services);
  if (existing !== undefined) return existing;
  const { database, now, addresses } = services;
  const access: Access = { services, database, now, addresses, failures: new FailedLogins(now), streams: new Set() };
  accessByServices.set(services, access);
  return access;
}

/** The person behind a session cookie. */
export function callerOfSession(access: Access, secret: string): Caller | undefined {
  const session = findSession(access, secret);
  const person = session === undefined ? undefined : findPerson(access, session.person);
  if (session === undefined || person === undefined) return undefined;
  return withProof(callerOf(access, person, session.via === 'passkey' ? 'passkey' : 'session'), {
    kind: 'session',
    id: session.id,
    person: person.name,
  });
}

/** The person behind a personal token, with the scopes of the token that the person still has. */
export function callerOfToken(access: Access, secret: string): Caller | undefined {
  const token = findToken(access, secret);
  const person = token === undefined ? undefined : findPerson(access, token.person);
  if (token === undefined || person === undefined) return undefined;
  const scopes = token.scopes.filter((scope) => person.scopes.includes(scope));
  return withProof(callerOf(access, { ...person, scopes }, 'token'), { kind: 'token', id: token.id, person: person.name });
}

/** A person as a caller, with their groups in the settings. */
export function callerOf({ services }: Access, { name, scopes }: Pick<Person, 'name' | 'scopes'>, via: Caller['via']): Caller {
  return {
    kind: 'person',
    name,
    groups: groupsOf(services, name),
    scopes: new Set(LOGIN_SCOPES.filter((scope) => scopes.includes(scope))),
    via,
  };
}

/** The groups of a person in the settings. */
export function groupsOf(services: Services, name: string): readonly string[] {
  return Object.entries(services.groups()).flatMap(([group, members]) =>
    members.some((member) => isSamePerson(member, name)) ? [group] : [],
  );
}

function withProof(caller: Caller, proof: Proof): Caller {
  proofs.set(caller, proof);
  return caller;
}

/** The session or token of a caller; undefined if they were authenticated otherwise. */
export function proofOf(caller: Caller): Proof | undefined {
  return proofs.get(caller);
}

/** Whether a caller is still valid: neither the person nor their session or token was revoked or has expired. */
export function isStillValid(access: Access, caller: Caller): boolean {
  const proof = proofs.get(caller);
  if (proof === undefined) return true;
  const exists = proof.kind === 'session' ? hasSession(access, proof.id) : hasToken(access, proof.id);
  return exists && findPerson(access, proof.person) !== undefined;
}

/** Ends the streams whose caller is no longer valid; called after a revocation. */
export function endRevokedStreams({ streams }: Access): void {
  for (const check of [...streams]) check();
}

/** The address that a request came from. */
export function addressOf({ addresses }: Access, c: ServerContext): string {
  const { incoming } = (c.env ?? {}) as { readonly incoming?: { readonly socket?: { readonly remoteAddress?: string } } };
  return addresses().clientOf(incoming?.socket?.remoteAddress ?? 'unknown', c.req.header('x-forwarded-for'));
}

/** Runs a function whose failure counts as a failed login, which is recorded and limited by address. */
export async function loginAttempt<T>(access: Access, c: ServerContext, attempt: () => T | Promise<T>): Promise<T> {
  const address = addressOf(access, c);
  try {
    const result = await attempt();
    access.failures.succeeded(address);
    return result;
  } catch (error) {
    loginFailed(access, address, (error as Partial<EngineError>).code ?? 'INTERNAL');
    throw error;
  }
}

/** Counts and records a failed login. Throws LOGIN_SLOWED if the address has failed too often. */
export function loginFailed(access: Access, address: string, outcome: string): void {
  const waitMs = access.failures.waitMs(address);
  if (waitMs > 0) {
    const seconds = Math.ceil(waitMs / 1000);
    throw new EngineError('LOGIN_SLOWED', `too many failed logins; try again in ${seconds} s`, { details: { retryAfter: seconds } });
  }
  access.failures.failed(address);
  recordAudit(access, { person: null, via: 'none', action: 'login', about: '', address, outcome });
}
