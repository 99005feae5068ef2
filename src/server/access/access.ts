// Owns what the parts of access share: where it is stored, how failed logins are slowed, which streams are open, and who a
// caller is by their session or token.

import { LOGIN_SCOPES } from '../../authority/right.ts';
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
  /** The open streams; each ends itself when it is told to look whether its caller may still listen. */
  readonly streams: Set<() => void>;
}

/** What a caller has proved who they are with. */
export type Proof = { readonly kind: 'session' | 'token'; readonly id: string; readonly person: string };

const known = new WeakMap<Services, Access>();
const proofs = new WeakMap<Caller, Proof>();

/** The state of access of a server. */
export function accessOf(services: Services): Access {
  const found = known.get(services);
  if (found !== undefined) return found;
  const { database, now, addresses } = services;
  const made: Access = { services, database, now, addresses, failures: new FailedLogins(now), streams: new Set() };
  known.set(services, made);
  return made;
}

/** The person behind a session cookie. */
export function callerOfSession(access: Access, secret: string): Caller | undefined {
  const session = findSession(access, secret);
  const person = session === undefined ? undefined : findPerson(access, session.person);
  if (session === undefined || person === undefined) return undefined;
  return proved(callerOf(access, person, session.via === 'passkey' ? 'passkey' : 'session'), {
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
  return proved(callerOf(access, { ...person, scopes }, 'token'), { kind: 'token', id: token.id, person: person.name });
}

/** A person as a caller, with the groups that the settings put them in. */
export function callerOf({ services }: Access, { name, scopes }: Pick<Person, 'name' | 'scopes'>, via: Caller['via']): Caller {
  return {
    kind: 'person',
    name,
    groups: groupsOf(services, name),
    scopes: new Set(LOGIN_SCOPES.filter((scope) => scopes.includes(scope))),
    via,
  };
}

/** The groups of a person, by the settings. */
export function groupsOf(services: Services, name: string): readonly string[] {
  return Object.entries(services.groups()).flatMap(([group, members]) =>
    members.some((member) => isSamePerson(member, name)) ? [group] : [],
  );
}

function proved(caller: Caller, proof: Proof): Caller {
  proofs.set(caller, proof);
  return caller;
}

/** The session or token that a caller came with; undefined if something else said who they are. */
export function proofOf(caller: Caller): Proof | undefined {
  return proofs.get(caller);
}

/** Whether a caller still is who they were: not revoked, and their session or token has not ended. */
export function isStillValid(access: Access, caller: Caller): boolean {
  const proof = proofs.get(caller);
  if (proof === undefined) return true;
  const exists = proof.kind === 'session' ? hasSession(access, proof.id) : hasToken(access, proof.id);
  return exists && findPerson(access, proof.person) !== undefined;
}

/** Lets every stream look whether its caller may still listen: something was revoked. */
export function endRevokedStreams({ streams }: Access): void {
  for (const look of [...streams]) look();
}

/** The address that a request came from. */
export function addressOf({ addresses }: Access, c: ServerContext): string {
  const { incoming } = (c.env ?? {}) as { readonly incoming?: { readonly socket?: { readonly remoteAddress?: string } } };
  return addresses().clientOf(incoming?.socket?.remoteAddress ?? 'unknown', c.req.header('x-forwarded-for'));
}

/** Does something that may fail as a login fails: slowed by address, and on record. */
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

/** Counts a failed login and puts it on record. Throws LOGIN_SLOWED if the address has failed too often before. */
export function loginFailed(access: Access, address: string, outcome: string): void {
  const waitMs = access.failures.waitMs(address);
  if (waitMs > 0) {
    const seconds = Math.ceil(waitMs / 1000);
    throw new EngineError('LOGIN_SLOWED', `too many failed logins; try again in ${seconds} s`, { details: { retryAfter: seconds } });
  }
  access.failures.failed(address);
  recordAudit(access, { person: null, via: 'none', action: 'login', about: '', address, outcome });
}
