// Owns the JSON of access, the same for the API and for `pawl access --json`: without secrets, times as text.

import { publicKeyText } from '../../authority/keys.ts';
import { iso } from '../api/times.ts';
import type { AuditEntry } from './audit.ts';
import type { Passkey } from './passkeys.ts';
import type { Person } from './people.ts';
import type { Session } from './sessions.ts';
import type { AccessToken } from './tokens.ts';

function maybeTime(at: number | null): string | null {
  return at === null ? null : iso(at);
}

/** A person, with the groups of the settings. */
export function personReport({ name, scopes, manages, invitedBy, createdAt, revokedAt }: Person, groups: readonly string[]) {
  return {
    ...{ name, scopes: [...scopes], manages, groups: [...groups], invitedBy },
    ...{ createdAt: iso(createdAt), revokedAt: maybeTime(revokedAt) },
  };
}

/** A token. */
export function tokenReport({ id, person, name, scopes, createdAt, seenAt, expiresAt }: AccessToken, now: number) {
  return {
    ...{ id, person, name, scopes: [...scopes], createdAt: iso(createdAt) },
    ...{ usedAt: maybeTime(seenAt), expiresAt: iso(expiresAt), isExpired: expiresAt <= now },
  };
}

/** A session. `isMine` is true for the one that asks. */
export function sessionReport({ id, person, via, address, agent, createdAt, seenAt, expiresAt }: Session, isMine: boolean) {
  return {
    ...{ id, person, via, address, agent, isMine },
    ...{ createdAt: iso(createdAt), usedAt: iso(seenAt), expiresAt: iso(expiresAt) },
  };
}

/** A passkey. `publicKey` is the line that `pawl identity enrol` takes; `isEnrolled` says whether it counts for signatures. */
export function passkeyReport({ id, person, title, key, createdAt, seenAt }: Passkey, isEnrolled: boolean) {
  return {
    ...{ id, person, title, isEnrolled, publicKey: publicKeyText({ name: person, key }) },
    ...{ createdAt: iso(createdAt), usedAt: maybeTime(seenAt) },
  };
}

/** A line of the audit. */
export function auditReport({ at, ...entry }: AuditEntry) {
  return { ...entry, at: iso(at) };
}
