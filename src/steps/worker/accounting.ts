// Owns the interface of the accounting: a worker is called only after it was admitted, and its usage is recorded before its
// answer counts.

import type { AgentAnswer, AgentEvent } from '../../agents/driver.ts';
import type { Budget } from '../../definition/budget.ts';
import type { Redactor } from '../../process/redact.ts';

/** A worker that is about to be called. */
export interface Spawn {
  readonly run: string;
  readonly path: string;
  readonly step: string;
  readonly attempt: number;
  readonly role: string;
  /** Whose capacity it uses: the credential of its role, otherwise its driver. */
  readonly account: string;
  /** The budgets of this attempt, of all attempts of the step in this run, and of all of the role in a day. */
  readonly budgets: { readonly attempt?: Budget; readonly step?: Budget; readonly day?: Budget };
  readonly redactor: Redactor | undefined;
  /** A driven agent is always recorded. An in-process agent and handed-out work are recorded if a budget applies to them. */
  readonly worker: 'driver' | 'object' | 'handed';
  /** The driver, and the model that the role names. */
  readonly driver?: string;
  readonly model?: string;
}

/** There is no capacity or no budget; `resumeAt` is when some becomes available. */
export interface Refusal {
  readonly reason: 'quota' | 'budget';
  readonly message: string;
  readonly resumeAt?: number;
}

/** An admitted agent. */
export interface Admission {
  /** The remaining budget. */
  readonly left: Budget;
  /** Called for each event of the agent. */
  onEvent(event: AgentEvent): void;
  /** Runs the call of the agent, so that its traces become part of the attempt's trace. */
  during?<T>(call: () => T): T;
  /** Records the agent's usage and returns its answer, with a reset time added if it had none. */
  close(answer: AgentAnswer): Promise<AgentAnswer>;
}

/** Admits workers and records what they used. */
export interface Accounting {
  open(spawn: Spawn): Promise<Admission | Refusal>;
  /** Records reported handed-out work, of which only the time is known. */
  reported(spawn: Spawn, ms: number): Promise<void>;
}
