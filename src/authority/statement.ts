// Owns what can be signed: a closed list, each kind with everything that it is about, so that a signature for one thing
// is worth nothing for another. What is signed is text that anybody can make again from the log.
//
// I3. The text begins with a mark of ours and its version, so that nothing that was signed for another purpose, by this
//     or another program, is ever taken for a statement.

import { canonicalJson, type Json } from '../base/json.ts';
import type { Signature } from '../base/signature.ts';
import { isSigned, type PublicKey, type UnlockedKey } from './keys.ts';

/** A choice at a question: of this run, about exactly what was shown. */
export interface DecisionStatement {
  readonly about: 'decision';
  readonly run: string;
  readonly path: string;
  readonly digest: string;
  readonly option: string;
  readonly input: string | null;
  readonly actor: string;
}

/** Answers to what an agent asked. */
export interface AnswerStatement {
  readonly about: 'answer';
  readonly run: string;
  readonly path: string;
  readonly attempt: number;
  /** The digest of the questions with their answers. */
  readonly answers: string;
  readonly actor: string;
}

/** Something asked of a run that passes a gate or a step, or lets it do more. */
export interface OverrideStatement {
  readonly about: 'override';
  readonly run: string;
  readonly action: Json;
  readonly actor: string;
}

/** Content of a workflow or of settings that may run. */
export interface TrustStatement {
  readonly about: 'trust';
  readonly digest: string;
}

/** A key that counts from now on; `previous` is the digest of the list before. */
export interface EnrolStatement extends PublicKey {
  readonly about: 'enrol';
  readonly previous: string;
}

/** A key that no longer counts. */
export interface RevokeStatement {
  readonly about: 'revoke';
  readonly fingerprint: string;
  readonly previous: string;
}

/** Any other command that takes a person: what it does, to what. */
export interface VerbStatement {
  readonly about: 'verb';
  readonly verb: string;
  readonly subject: Json;
  readonly actor: string;
}

/** Everything that can be signed. */
export type Statement =
  | DecisionStatement
  | AnswerStatement
  | OverrideStatement
  | TrustStatement
  | EnrolStatement
  | RevokeStatement
  | VerbStatement;

const MARK = 'pawl signature v1\n';

/** Signs a statement. */
export function sign(key: UnlockedKey, statement: Statement, at: number): Signature {
  return { key: key.fingerprint, at, value: key.sign(textOf(statement, { key: key.fingerprint, at })) };
}

/** Whether a signature is one of this statement, by this key. Whether the key counts is for `enrolment.ts` to say. */
export function isSignatureOf(statement: Statement, signature: Signature, key: Pick<PublicKey, 'key'>): boolean {
  return isSigned(key, textOf(statement, signature), signature.value);
}

function textOf(statement: Statement, { key, at }: Pick<Signature, 'key' | 'at'>): string {
  return `${MARK}${canonicalJson({ key, at, statement: statement as unknown as Json })}`;
}

/** True for a signature in the right shape; whether it is worth anything is another matter. */
export function isSignature(value: unknown): value is Signature {
  const { key, at, value: text } = (value ?? {}) as Partial<Record<keyof Signature, unknown>>;
  return typeof key === 'string' && /^[0-9a-f]{64}$/.test(key) && Number.isSafeInteger(at) && typeof text === 'string';
}
