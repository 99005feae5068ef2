// Registers passkeys, and signs decisions with them.

import { write } from './api.ts';

interface Options {
  readonly options: unknown;
}

/** What is signed: exactly this decision. */
export interface ToSign {
  readonly run: string;
  readonly approval: string;
  readonly digest: string;
  readonly option: string;
  readonly input?: string;
}

/** A signature, as a decision carries it. */
export interface Signature {
  readonly key: string;
  readonly at: number;
  readonly value: string;
}

/** Registers a passkey of this browser, phone or security key for the person who is logged in. */
export async function registerPasskey(title: string): Promise<void> {
  const { options } = await write<Options>('/passkeys/options', {});
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options as PublicKeyCredentialCreationOptionsJSON);
  const credential = await navigator.credentials.create({ publicKey });
  if (credential === null) throw new Error('No passkey was created.');
  await write('/passkeys', { title, response: (credential as PublicKeyCredential).toJSON() });
}

/** Signs a decision with one of the person's passkeys. */
export async function signDecision(decision: ToSign): Promise<Signature> {
  const { options } = await write<Options>('/signatures/options', decision);
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options as PublicKeyCredentialRequestOptionsJSON);
  const credential = await navigator.credentials.get({ publicKey });
  if (credential === null) throw new Error('Nothing was signed.');
  const { signature } = await write<{ signature: Signature }>('/signatures', { response: (credential as PublicKeyCredential).toJSON() });
  return signature;
}
