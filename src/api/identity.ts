// Signs for programs that people run: a key from a state folder, opened with its passphrase.

import { readKeyList, readLockedKeys } from '../authority/key-files.ts';
import { fingerprintOf, unlockKey } from '../authority/keys.ts';
import { sign } from '../authority/statement.ts';
import { EngineError } from '../base/error.ts';
import type { Signer } from '../engine/signature/signatures.ts';

/** A person whose key is open. */
export interface OpenIdentity {
  /** The name that decisions are recorded under. */
  readonly name: string;
  readonly fingerprint: string;
  /** Signs what an engine asks for. Pass it to `decide`, `answer` or `resume` as `sign`. */
  readonly sign: Signer;
}

/** Opens a key of a state folder. Its holder can decide in that name, so keep it no longer than needed. */
export async function openIdentity(
  stateFolder: string,
  { name, passphrase }: { readonly name: string; readonly passphrase: string },
): Promise<OpenIdentity> {
  const locked = readLockedKeys(stateFolder).find((key) => key.name === name);
  if (locked === undefined)
    throw new EngineError('KEY_MISSING', `no key for "${name}" in ${stateFolder}; create one with "pawl identity create ${name}"`);
  const fingerprint = fingerprintOf(locked);
  const key = await unlockKey(locked, passphrase);
  const enrolledAs = readKeyList(stateFolder).find(fingerprint)?.name ?? name;
  return { name: enrolledAs, fingerprint, sign: async (statement) => sign(key, statement, Date.now()) };
}
