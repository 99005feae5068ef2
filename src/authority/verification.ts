// Decides whether a signature is valid: its key is enrolled here, was enrolled when the run started (or by a key that was), was
// not revoked at that time, and signed exactly this statement.
//
// - A run records the fingerprints of enrolled keys when it starts. Another state folder, or a new list, cannot add keys
//   to it.

import type { Signature } from '../base/signature.ts';
import type { EnrolledKey, KeyList } from './enrolment.ts';
import { shownFingerprint } from './keys.ts';
import { isSignature, isSignatureOf, type Statement } from './statement.ts';

interface SignedStatement {
  readonly statement: Statement;
  readonly signature: Signature;
  /** The keys recorded when the run started; if undefined, every enrolled key is accepted. */
  readonly keys?: readonly string[] | undefined;
  /** When the signature was recorded; a key revoked before that is not accepted. */
  readonly at: number;
}

/** The signer, or why the signature is not valid. */
export type Verification = { readonly isValid: true; readonly by: EnrolledKey } | { readonly isValid: false; readonly why: string };

/** Verifies a signature with a list of keys. */
export function verifySignature(list: KeyList, { statement, signature, keys, at }: SignedStatement): Verification {
  if (!isSignature(signature)) return invalid('it is not a signature');
  const by = list.find(signature.key);
  const shown = shownFingerprint(signature.key);
  if (by === undefined) return invalid(`its key ${shown} is not enrolled here`);
  const isNamed = 'actor' in statement;
  if (isNamed && statement.actor !== by.name) return invalid(`it is signed by "${by.name}" (${shown}), not by "${statement.actor}"`);
  if (!isSignatureOf(statement, signature, by)) return invalid(`"${by.name}" (${shown}) signed something else`);
  if (by.revokedAt !== undefined && by.revokedAt <= at)
    return invalid(`the key of "${by.name}" (${shown}) was revoked on ${new Date(by.revokedAt).toISOString()}`);
  if (keys !== undefined && !list.leadsTo(by.fingerprint, keys))
    return invalid(`the key of "${by.name}" (${shown}) was not enrolled when the run started, nor by a key that was`);
  return { isValid: true, by };
}

function invalid(why: string): Verification {
  return { isValid: false, why };
}
