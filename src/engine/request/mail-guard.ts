// Checks incoming mail. Anyone who can write to the database can insert a row into an inbox, so the driver
// accepts only input types that other processes may send, with a valid signature where one is required, and only about
// children that have really ended. Rejected mail is logged as ignored.

import { isEngineError } from '../../base/error.ts';
import type { RunInput } from '../../kernel/input.ts';
import type { RunState } from '../../kernel/run-state.ts';
import type { Store } from '../../store/store.ts';
import type { DriverHost } from '../host.ts';
import { type Proof, requiresSignature, verifyInput } from '../signature/signatures.ts';

/** An input that waits to be decided. `mail` is set if it came from the inbox. */
export interface QueuedInput {
  readonly input: RunInput;
  readonly mail?: number;
}

/** The input types that other processes than a run's owner may send. */
const MAIL: ReadonlySet<RunInput['type']> = new Set([
  ...(['decided', 'answered', 'control', 'reported', 'asked', 'assumed', 'signalled', 'childEnded', 'facts', 'due'] as const),
]);

/** Filters the inbox of one run for its driver. */
export class MailGuard {
  private readonly host: Pick<DriverHost, 'store' | 'signing' | 'clock' | 'signatureContext'>;
  private readonly proof: Proof;
  private readonly falseReports = new Set<number>();

  constructor(host: MailGuard['host'], proof: Proof) {
    this.host = host;
    this.proof = proof;
  }

  /** Marks mail that falsely reports the end of a child. Throws if the child's own log is damaged. */
  async checkChildReports(run: string, batch: readonly QueuedInput[]): Promise<void> {
    for (const { input, mail } of batch) {
      if (input.type !== 'childEnded' || mail === undefined) continue;
      const child = await this.childOf(input.child);
      if (child === undefined || child.state.parent?.run !== run || child.status !== input.status) this.falseReports.add(mail);
      else await this.host.signatureContext(child);
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

  /** Returns the input to decide: the queued one, or a `refused` input in its place. */
  accept(run: RunState, { input, mail }: QueuedInput): RunInput {
    return mail === undefined || (!this.falseReports.has(mail) && this.isAccepted(run, input)) ? input : rejected(input);
  }

  private isAccepted(run: RunState, input: RunInput): boolean {
    if (!MAIL.has(input.type)) return false;
    if (input.type !== 'decided' && input.type !== 'answered' && input.type !== 'control') return true;
    const { signature } = input;
    if (signature === undefined) return !requiresSignature(run, input);
    const { signing, clock } = this.host;
    if (!verifyInput(signing, { run: run.id, proof: this.proof, at: clock.now() }, { ...input, signature }).isValid) return false;
    this.proof.used.add(signature.value);
    return true;
  }
}

function rejected(input: RunInput): RunInput {
  return { type: 'refused', at: input.at, input: input.type, ...('path' in input ? { path: input.path } : {}) };
}
