// Signs statements on the command line. A key stays unlocked until the command ends.

import { type UnlockedKey, unlockKey } from '../../authority/keys.ts';
import { type Statement, sign } from '../../authority/statement.ts';
import { EngineError, isEngineError } from '../../base/error.ts';
import type { Signature } from '../../base/signature.ts';
import type { PendingApproval } from '../../control/approvals.ts';
import { isAsShown } from '../../engine/request/approvals.ts';
import { decisionStatement, type Signer } from '../../engine/signature/signatures.ts';
import type { ParsedArgs } from '../command.ts';
import type { Answer } from '../decision/decision.ts';
import type { Shell } from '../shell.ts';
import { plain } from '../terminal.ts';
import { asksToSign, type Identity, identityFor, identityText } from './identity.ts';
import { openPassphrases } from './passphrase.ts';

const TRIES_MAX = 3;
const unlocked = new WeakMap<Shell, Promise<UnlockedKey>>();

/** Signs a statement with the caller's key; asks for the passphrase once per command. */
export async function signFor(shell: Shell, args: ParsedArgs | undefined, statement: Statement): Promise<Signature> {
  return sign(await unlock(shell, args), statement, Date.now());
}

/** The actor of a command and, if it signs, the function that the engine calls for each signature. */
export function signingOf(shell: Shell, { isSigned }: { readonly isSigned: boolean }): { readonly actor: string; readonly sign?: Signer } {
  if (!isSigned && !asksToSign(shell)) return { actor: shell.actor };
  const { args } = shell;
  return { actor: identityFor(shell, args).name, sign: (statement) => signFor(shell, args, statement) };
}

/** Unlocks the caller's key; a person can retype a wrong passphrase. */
export function unlock(shell: Shell, args: ParsedArgs | undefined): Promise<UnlockedKey> {
  const known = unlocked.get(shell);
  if (known !== undefined) return known;
  const opening = open(shell, args, identityFor(shell, args));
  unlocked.set(shell, opening);
  opening.catch(() => unlocked.delete(shell));
  return opening;
}

async function open(shell: Shell, args: ParsedArgs | undefined, identity: Identity): Promise<UnlockedKey> {
  using passphrases = openPassphrases(shell, args);
  for (let tries = 1; ; tries += 1) {
    const passphrase = await passphrases.read(`Passphrase of ${identityText(identity)}`);
    try {
      return { ...(await unlockKey(identity.locked, passphrase)), name: identity.name };
    } catch (error) {
      const isWrong = isEngineError(error) && error.code === 'PASSPHRASE_WRONG';
      if (!isWrong || !passphrases.isTyped || tries === TRIES_MAX) throw error;
      shell.print(shell.style('yellow', plain(error.message)));
    }
  }
}

/** Whether a decision is signed: the approval requires it, or the caller signs. */
export function isSignedBy(shell: Shell, { approval }: Pick<PendingApproval, 'approval'>): boolean {
  return approval.signed || asksToSign(shell);
}

/** The signature of a decision, bound to the shown content. */
export async function signDecision(
  shell: Shell,
  args: ParsedArgs | undefined,
  { asked, answer, actor }: { readonly asked: PendingApproval; readonly answer: Answer; readonly actor: string },
): Promise<Signature> {
  const { run, approval } = asked;
  if (!isAsShown(approval))
    throw new EngineError(
      'RUN_DAMAGED',
      `the content of approval "${approval.step}" of run ${run} does not match its digest, so it was not signed; "pawl db check" checks the database`,
      { details: { run, approval: approval.path } },
    );
  const { path, digest } = approval;
  return signFor(shell, args, decisionStatement({ run, path, digest, option: answer.option.label, input: answer.input, actor }));
}
