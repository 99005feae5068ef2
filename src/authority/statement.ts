// Owns the closed list of statements that can be signed. Each has all details, so that a signature is not valid for anything
// else. The signed text can be reproduced from the log.
//
// - The text starts with a marker and its version, so that nothing signed for another purpose, by this or another
//   program, is mistaken for a statement.

import { hash } from 'node:crypto';
import { canonicalJson, type Json } from '../base/json.ts';
import type { Signature } from '../base/signature.ts';
import { isSigned, type PublicKey, type UnlockedKey } from './keys.ts';
import { isAssertionOf, isPasskey } from './passkey.ts';

/** A decision on an approval of a run, for exactly the shown content. */
export interface DecisionStatement {
  readonly about: 'decision';
  readonly run: string;
  readonly path: string;
  readonly digest: string;
  readonly option: string;
  readonly input: string | null;
  readonly actor: string;
}

/** Answers to the questions of an agent. `answers` is the digest of the questions with their answers. */
export type AnswerStatement = {
  readonly about: 'answer';
  readonly run: string;
  readonly path: string;
  readonly attempt: number;
  readonly answers: string;
  readonly actor: string;
};

/** Everything that can be signed. */
export type Statement =
  | DecisionStatement
  | AnswerStatement
  /** A request that overrides a gate or a step, or extends a limit. */
  | { readonly about: 'override'; readonly run: string; readonly action: Json; readonly actor: string }
  /** Trust in one version of a workflow or of settings. */
  | { readonly about: 'trust'; readonly digest: string }
  /** Enrols a key; `previous` is the digest of the list before. */
  | { readonly about: 'enrol'; readonly name: string; readonly key: string; readonly previous: string }
  /** Revokes a key. */
  | { readonly about: 'revoke'; readonly fingerprint: string; readonly previous: string };

const MARK = 'pawl signature v1\n';
const PASSKEY_MARK = 'pawl passkey v1\n';

/** Signs a statement. */
export function sign(key: UnlockedKey, statement: Statement, at: number): Signature {
  return { key: key.fingerprint, at, value: key.sign(textOf(statement, { key: key.fingerprint, at })) };
}

/** Whether this key signed this statement; `verification.ts` decides whether the key is enrolled. */
export function isSignatureOf(statement: Statement, signature: Signature, key: Pick<PublicKey, 'key'>): boolean {
  if (isPasskey(key.key)) return isAssertionOf(key.key, challengeOf(statement, signature.at), signature.value);
  return isSigned(key, textOf(statement, signature), signature.value);
}

/** The base64url challenge for a passkey. It does not name the key, because the person chooses one after it was created. */
export function challengeOf(statement: Statement, at: number): string {
  return hash('sha256', `${PASSKEY_MARK}${canonicalJson({ at, statement: statement as unknown as Json })}`, 'base64url');
}

function textOf(statement: Statement, { key, at }: Pick<Signature, 'key' | 'at'>): string {
  return `${MARK}${canonicalJson({ key, at, statement: statement as unknown as Json })}`;
}

/** True for an object with the shape of a signature, valid or not. */
export function isSignature(value: unknown): value is Signature {
  const { key, at, value: text } = (value ?? {}) as Partial<Record<keyof Signature, unknown>>;
  return typeof key === 'string' && /^[0-9a-f]{64}$/.test(key) && Number.isSafeInteger(at) && typeof text === 'string';
}
