// Owns signing on the command line: whose key, its passphrase, and the signature. A key that was unlocked stays so until the
// command ends, and no longer.

import { type UnlockedKey, unlockKey } from '../../authority/keys.ts';
import { type Statement, sign } from '../../authority/statement.ts';
import { EngineError, isEngineError } from '../../base/error.ts';
import type { Signature } from '../../base/signature.ts';
import { isAsShown } from '../../engine/gates.ts';
import { decisionStatement, type Signer } from '../../engine/signatures.ts';
import { userActor } from '../actor.ts';
import type { Given } from '../command.ts';
import type { PendingApproval } from '../decision/approvals.ts';
import type { Answer } from '../decision/decision.ts';
import type { Shell } from '../shell.ts';
import { plain } from '../terminal.ts';
import { asksToSign, type Identity, identityFor, shownIdentity } from './identity.ts';
import { openPassphrases } from './passphrase.ts';

const TRIES_MAX = 3;
const unlocked = new WeakMap<Shell, Promise<UnlockedKey>>();

/** Signs a statement with the key of whoever gives the command; asks for the passphrase once per command. */
export async function signFor(shell: Shell, given: Given | undefined, statement: Statement): Promise<Signature> {
  return sign(await unlock(shell, given), statement, Date.now());
}

/** In whose name a command acts, and, where that is signed, the function that an engine asks for each signature. */
export function signingOf(shell: Shell, { isSigned }: { readonly isSigned: boolean }): { readonly actor: string; readonly sign?: Signer } {
  if (!isSigned && !asksToSign(shell)) return { actor: userActor(shell) };
  const { given } = shell;
  return { actor: identityFor(shell, given).name, sign: (statement) => signFor(shell, given, statement) };
}

/** Unlocks the key of whoever gives the command; a mistyped passphrase can be typed again. */
export function unlock(shell: Shell, given: Given | undefined): Promise<UnlockedKey> {
  const known = unlocked.get(shell);
  if (known !== undefined) return known;
  const opening = open(shell, given, identityFor(shell, given));
  unlocked.set(shell, opening);
  opening.catch(() => unlocked.delete(shell));
  return opening;
}

async function open(shell: Shell, given: Given | undefined, identity: Identity): Promise<UnlockedKey> {
  const passphrases = openPassphrases(shell, given);
  try {
    for (let tries = 1; ; tries += 1) {
      const passphrase = await passphrases.read(`Passphrase of ${shownIdentity(identity)}`);
      try {
        return { ...(await unlockKey(identity.locked, passphrase)), name: identity.name };
      } catch (error) {
        const isWrong = isEngineError(error) && error.code === 'PASSPHRASE_WRONG';
        if (!isWrong || !passphrases.isTyped || tries === TRIES_MAX) throw error;
        shell.print(shell.style('yellow', plain(error.message)));
      }
    }
  } finally {
    passphrases.close();
  }
}

/** Whether a decision at a question is signed: it takes that, or whoever gives the command wants it. */
export function isSignedBy(shell: Shell, { gate }: Pick<PendingApproval, 'gate'>): boolean {
  return gate.signed || asksToSign(shell);
}

/** The signature of a decision about exactly what was shown. */
export async function signDecision(
  shell: Shell,
  given: Given | undefined,
  { asked, answer, actor }: { readonly asked: PendingApproval; readonly answer: Answer; readonly actor: string },
): Promise<Signature> {
  const { run, gate } = asked;
  if (!isAsShown(gate))
    throw new EngineError(
      'RUN_DAMAGED',
      `what gate "${gate.step}" of run ${run} shows is not what its digest stands for, so it is not signed; "pawl db check" looks at the database`,
      { details: { run, gate: gate.path } },
    );
  const { path, digest } = gate;
  return signFor(shell, given, decisionStatement({ run, path, digest, option: answer.option.label, input: answer.input, actor }));
}
