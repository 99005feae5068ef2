// Owns the list of enrolled keys, a chain of signed entries in the user's state folder: the first key signs itself, at a
// terminal, and every later entry is signed by a key that was enrolled at that time.
//
// - An entry has the digest of the list before it, so that entries cannot be removed, moved or changed. A list with an
//   invalid entry is rejected as a whole.
// - A revoked key can no longer sign. Its earlier signatures stay valid.

import { digestJson } from '../base/digest.ts';
import { EngineError } from '../base/error.ts';
import type { Json } from '../base/json.ts';
import { isSamePerson } from '../base/person.ts';
import type { Signature } from '../base/signature.ts';
import { assertName, fingerprintOf, type PublicKey, parsePublicKey, publicKeyText, shownFingerprint, type UnlockedKey } from './keys.ts';
import { isPasskey } from './passkey.ts';
import { isSignature, isSignatureOf, type Statement, sign } from './statement.ts';

/** One entry of the list: a key that is enrolled or revoked. */
export type Entry =
  | { readonly type: 'enrolled'; readonly name: string; readonly key: string; readonly signature: Signature }
  | { readonly type: 'revoked'; readonly fingerprint: string; readonly signature: Signature };

/** A key of the list. */
export interface EnrolledKey extends PublicKey {
  readonly fingerprint: string;
  readonly enrolledAt: number;
  /** The fingerprint of the key that enrolled it; the first one enrolled itself. */
  readonly enrolledBy: string;
  readonly revokedAt?: number;
}

/** The enrolled and the revoked keys. */
export class KeyList {
  private readonly known: ReadonlyMap<string, EnrolledKey>;
  readonly entries: readonly Entry[];

  private constructor(known: ReadonlyMap<string, EnrolledKey>, entries: readonly Entry[]) {
    this.known = known;
    this.entries = entries;
  }

  /** A list without any key. */
  static readonly none = new KeyList(new Map(), []);

  /** Verifies the entries of a list in order; an invalid one is CONFIG_INVALID. */
  static of(entries: readonly Entry[], where: string): KeyList {
    const known = new Map<string, EnrolledKey>();
    for (const [index, entry] of entries.entries()) {
      const why = isEntry(entry) ? applyEntry(known, entry, previousOf(entries.slice(0, index))) : 'it is malformed';
      if (why !== undefined)
        throw new EngineError(
          'CONFIG_INVALID',
          `the list of enrolled keys ${where} was edited or is damaged, so no key is accepted: entry ${index + 1}: ${why}; restore a backup of the file`,
        );
    }
    return new KeyList(known, entries);
  }

  /** A list of keys that are trusted without entries. */
  static ofTrusted(keys: readonly PublicKey[]): KeyList {
    const rows = keys.map((key) => {
      const fingerprint = fingerprintOf(key);
      return [fingerprint, { ...key, fingerprint, enrolledAt: 0, enrolledBy: fingerprint }] as const;
    });
    return new KeyList(new Map(rows), []);
  }

  /** Every key that was ever enrolled, oldest first. */
  get all(): readonly EnrolledKey[] {
    return [...this.known.values()];
  }

  /** The keys that are enrolled and not revoked. */
  get active(): readonly EnrolledKey[] {
    return this.all.filter(({ revokedAt }) => revokedAt === undefined);
  }

  /** The key with this fingerprint. */
  find(fingerprint: string): EnrolledKey | undefined {
    return this.known.get(fingerprint);
  }

  /** The active key of a person. */
  named(name: string): EnrolledKey | undefined {
    return this.active.find((key) => key.name === name);
  }

  /** Whether a key is one of these, or was enrolled by one of them, directly or indirectly. */
  leadsTo(fingerprint: string, keys: readonly string[]): boolean {
    if (keys.includes(fingerprint)) return true;
    const by = this.known.get(fingerprint)?.enrolledBy;
    return by !== undefined && by !== fingerprint && this.leadsTo(by, keys);
  }

  /** The list with another key. The first key signs itself. */
  enrol(key: PublicKey, by: UnlockedKey, at: number): KeyList {
    assertName(key.name);
    // Two spellings of a name would count as two people in a decision that needs several.
    const isTaken = (known: PublicKey): boolean => isSamePerson(known.name, key.name) && !mayCoexist(known, key);
    const other = this.active.find(isTaken) ?? this.find(fingerprintOf(key));
    if (other !== undefined)
      throw new EngineError(
        'USAGE',
        `${isSamePerson(other.name, key.name) ? `"${other.name}" already has an enrolled key` : `this key is already enrolled as "${other.name}"`} (${shownFingerprint(other.fingerprint)}); revoke it first, or use another name`,
      );
    const statement: Statement = { about: 'enrol', name: key.name, key: key.key, previous: previousOf(this.entries) };
    return this.with({ type: 'enrolled', name: key.name, key: key.key, signature: sign(by, statement, at) });
  }

  /** The list with all keys of a person revoked, passkeys included. */
  revoke(name: string, by: UnlockedKey, at: number): KeyList {
    const theirs = this.active.filter((key) => key.name === name);
    if (theirs.length === 0)
      throw new EngineError('USAGE', `no enrolled key belongs to "${name}"; "pawl identity list" shows the enrolled keys`);
    // Passkeys cannot enrol, so another person's passkey does not help.
    if (this.active.every((key) => key.name === name || isPasskey(key.key)))
      throw new EngineError(
        'USAGE',
        `"${name}" has the only enrolled key; enrol another one first, because without one no one could sign or enrol`,
      );
    // The key that signs the entries is revoked last.
    const ordered = [...theirs].sort((a, b) => Number(a.fingerprint === by.fingerprint) - Number(b.fingerprint === by.fingerprint));
    return ordered.reduce((list: KeyList, { fingerprint }) => list.withRevoked(fingerprint, by, at), this);
  }

  private withRevoked(fingerprint: string, by: UnlockedKey, at: number): KeyList {
    const statement: Statement = { about: 'revoke', fingerprint, previous: previousOf(this.entries) };
    return this.with({ type: 'revoked', fingerprint, signature: sign(by, statement, at) });
  }

  private with(entry: Entry): KeyList {
    return KeyList.of([...this.entries, entry], '(not written)');
  }
}

/** Whether a person may have both keys: passkeys in addition to one key with a passphrase, under the same spelling. */
function mayCoexist(key: PublicKey, other: PublicKey): boolean {
  return key.name === other.name && (isPasskey(key.key) || isPasskey(other.key));
}

/** The public keys of a file, one per line; empty lines and lines that start with # are skipped. */
export function parsePublicKeys(text: string, where: string): PublicKey[] {
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '' || line.trim().startsWith('#')) return [];
    const key = parsePublicKey(line);
    if (key !== undefined) return [key];
    throw new EngineError(
      'CONFIG_INVALID',
      `line ${index + 1} of ${where} is not a public key; write it as "pawl identity show NAME" prints it: pawl-ed25519 KEY NAME`,
    );
  });
}

/** The digest of the list before an entry. */
function previousOf(entries: readonly Entry[]): string {
  return digestJson(entries as unknown as Json);
}

/** Adds an entry to the known keys; returns the reason if it is invalid. */
function applyEntry(known: Map<string, EnrolledKey>, entry: Entry, previous: string): string | undefined {
  const { signature } = entry;
  const isFirst = known.size === 0;
  const own = entry.type === 'enrolled' ? { name: entry.name, key: entry.key, fingerprint: fingerprintOf(entry) } : undefined;
  const by = isFirst ? own : known.get(signature.key);
  if (by === undefined || by.fingerprint !== signature.key)
    return isFirst ? 'the first key did not sign itself' : 'it is signed by a key that is not enrolled';
  if ('revokedAt' in by && by.revokedAt !== undefined) return `it is signed by the key of "${by.name}", which was revoked before`;
  if (!isSignatureOf(statementOf(entry, previous), signature, by)) return `the signature of "${by.name}" does not match it`;
  if (own !== undefined) {
    if (known.has(own.fingerprint)) return `the key of "${own.name}" is enrolled twice`;
    known.set(own.fingerprint, { ...own, enrolledAt: signature.at, enrolledBy: signature.key });
    return undefined;
  }
  const revoked = entry.type === 'revoked' ? known.get(entry.fingerprint) : undefined;
  if (revoked === undefined) return 'it revokes a key that is not enrolled';
  known.set(revoked.fingerprint, { ...revoked, revokedAt: Math.min(signature.at, revoked.revokedAt ?? signature.at) });
  return undefined;
}

function statementOf(entry: Entry, previous: string): Statement {
  return entry.type === 'enrolled'
    ? { about: 'enrol', name: entry.name, key: entry.key, previous }
    : { about: 'revoke', fingerprint: entry.fingerprint, previous };
}

function isEntry(entry: unknown): entry is Entry {
  const { type, name, key, fingerprint, signature } = (entry ?? {}) as Readonly<Record<string, unknown>>;
  if (!isSignature(signature)) return false;
  if (type === 'revoked') return typeof fingerprint === 'string';
  return (
    type === 'enrolled' && typeof name === 'string' && typeof key === 'string' && parsePublicKey(publicKeyText({ name, key })) !== undefined
  );
}
