// Owns what a driver lets in from its mail. Whoever can write to the database can put a row into an inbox, so mail is taken
// only for what other processes may bring, with the signature that it takes, and about children that have really ended.
// What is refused is on record, as ignored.

import { isEngineError } from '../base/error.ts';
import type { RunInput } from '../kernel/input.ts';
import type { RunState } from '../kernel/run-state.ts';
import type { Store } from '../store/store.ts';
import type { DriverHost } from './host.ts';
import { judgeInput, type Proof, takesSignature } from './signatures.ts';

/** An input that waits to be decided; `mail` where it came from the inbox. */
export interface Queued {
  readonly input: RunInput;
  readonly mail?: number;
}

/** What other processes than the owner of a run may bring. */
const MAIL: ReadonlySet<RunInput['type']> = new Set([
  ...(['decided', 'answered', 'control', 'reported', 'asked', 'signalled', 'childEnded', 'observed', 'due'] as const),
]);

/** Stands between the inbox of one run and its driver. */
export class MailGuard {
  private readonly host: Pick<DriverHost, 'store' | 'signing' | 'clock' | 'proofOf'>;
  private readonly proof: Proof;
  private readonly untrue = new Set<number>();

  constructor(host: MailGuard['host'], proof: Proof) {
    this.host = host;
    this.proof = proof;
  }

  /** Finds mail that says a child has ended which has not. A child whose own log does not hold is damage. */
  async lookAtChildren(run: string, batch: readonly Queued[]): Promise<void> {
    for (const { input, mail } of batch) {
      if (input.type !== 'childEnded' || mail === undefined) continue;
      const child = await this.childOf(input.child);
      if (child === undefined || child.state.parent?.run !== run || child.status !== input.status) this.untrue.add(mail);
      else await this.host.proofOf(child);
    }
  }

  private async childOf(run: string): Promise<Awaited<ReturnType<Store['load']>> | undefined> {
    try {
      return await this.host.store.load(run);
    } catch (error) {
      if (isEngineError(error) && error.code === 'RUN_NOT_FOUND') return undefined;
      throw error;
    }
  }

  /** The input to decide in the place of a queued one, given the run as it is then. */
  admitted(run: RunState, { input, mail }: Queued): RunInput {
    return mail === undefined || (!this.untrue.has(mail) && this.admits(run, input)) ? input : refused(input);
  }

  private admits(run: RunState, input: RunInput): boolean {
    if (!MAIL.has(input.type) || (input.type === 'observed' && !('facts' in input))) return false;
    if (input.type !== 'decided' && input.type !== 'answered' && input.type !== 'control') return true;
    const { signature } = input;
    if (signature === undefined) return !takesSignature(run, input);
    const { signing, clock } = this.host;
    if (!judgeInput(signing, { run: run.id, proof: this.proof, at: clock.now() }, { ...input, signature }).counts) return false;
    this.proof.used.add(signature.value);
    return true;
  }
}

function refused(input: RunInput): RunInput {
  return { type: 'refused', at: input.at, input: input.type, ...('path' in input ? { path: input.path } : {}) };
}
