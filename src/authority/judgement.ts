// Owns whether a signature counts: its key is enrolled where somebody looks, was or descends from one that the run knew
// when it began, was not revoked then, and signed exactly this.
//
// I6. A run takes the fingerprints that count when it begins. A list of another state folder, or one that was made anew,
//     cannot bring a key of its own into it.

import type { Signature } from '../base/signature.ts';
import type { EnrolledKey, KeyList } from './enrolment.ts';
import { shownFingerprint } from './keys.ts';
import { isSignature, isSignatureOf, type Statement } from './statement.ts';

/** What is judged. */
export interface Signed {
  readonly statement: Statement;
  readonly signature: Signature;
  /** The keys that the run knew when it began; without them, every enrolled key will do. */
  readonly keys?: readonly string[] | undefined;
  /** When the signature was taken: a key that was revoked before that does not count. */
  readonly at: number;
}

/** Who signed, or why the signature does not count. */
export type Judgement = { readonly counts: true; readonly by: EnrolledKey } | { readonly counts: false; readonly why: string };

/** Judges a signature by a list of keys. */
export function judge(list: KeyList, { statement, signature, keys, at }: Signed): Judgement {
  if (!isSignature(signature)) return refused('it is not a signature');
  const by = list.find(signature.key);
  const shown = shownFingerprint(signature.key);
  if (by === undefined) return refused(`its key ${shown} is not enrolled here`);
  const isNamed = 'actor' in statement;
  if (isNamed && statement.actor !== by.name) return refused(`it is signed by "${by.name}" (${shown}), not by "${statement.actor}"`);
  if (!isSignatureOf(statement, signature, by)) return refused(`"${by.name}" (${shown}) did not sign this, but something else`);
  if (by.revokedAt !== undefined && by.revokedAt <= at)
    return refused(`the key of "${by.name}" (${shown}) was revoked on ${new Date(by.revokedAt).toISOString()}`);
  if (keys !== undefined && !list.leadsTo(by.fingerprint, keys))
    return refused(`the key of "${by.name}" (${shown}) was not enrolled when the run began, and was enrolled by nobody who was`);
  return { counts: true, by };
}

function refused(why: string): Judgement {
  return { counts: false, why };
}
