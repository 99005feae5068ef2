// Owns what can happen to a run from outside the kernel. Each input carries its time: the kernel reads no clock.
// Inputs that any process may bring (decisions, reports, signals, control, a child's end) travel as mail; the rest
// come from the host that owns the run.

import type { Signature } from '../base/signature.ts';
import type { Budget } from '../definition/budget.ts';
import type { OutcomeName } from '../definition/outcome.ts';
import type { Detour, Path, Ref, RunStatus } from './run-state.ts';

/**
 * Why an attempt did not bring a result. `contract` is a broken postcondition; `precondition` ran nothing; `quota` and
 * `budget` are waits, not failures.
 */
export interface StepError {
  readonly code: string;
  readonly message: string;
  readonly reason: 'error' | 'contract' | 'precondition' | 'timeout' | 'quota' | 'budget';
  /** quota and budget: from when on there is some again, where that is known. */
  readonly resumeAt?: number;
  /** False when trying again cannot help, whatever the policy says. */
  readonly retryable?: boolean;
}

interface AttemptInput {
  readonly at: number;
  readonly path: Path;
  readonly attempt: number;
}

/** Begins the run at its entry, or at `from` with outputs supplied for what came before. */
export interface StartInput {
  readonly type: 'start';
  readonly at: number;
  readonly from?: string;
  /** The questions that are asked again first, because `from` lies behind them. */
  readonly detour?: Detour;
  /** Data the run is given from outside: what triggered it, the settings it is frozen to. */
  readonly facts?: Ref;
}

/** A new owner took over; `interrupted` attempts have no process any more. */
export interface RecoveredInput {
  readonly type: 'recovered';
  readonly at: number;
}

/** The semaphores that a queued activation wants are taken in the same commit. */
export interface SlotInput {
  readonly type: 'slot';
  readonly at: number;
  readonly path: Path;
}

/** Time passed: everything due by `at` happens. */
export interface DueInput {
  readonly type: 'due';
  readonly at: number;
}

/** The preconditions of a step that waits or groups hold, or do not (`error`). */
export interface PreparedInput extends AttemptInput {
  readonly type: 'prepared';
  readonly error?: StepError;
  /** What was found before the work, to be compared with afterwards: it joins the data. */
  readonly merge?: Ref;
  /** The work is handed to somebody who reports by themselves: beginning it changes nothing. */
  readonly handsOut?: true;
}

/** The engine observed how an attempt ended. */
export interface SettledInput extends AttemptInput {
  readonly type: 'settled';
  readonly outcome: OutcomeName;
  readonly output?: Ref;
}

/** An attempt broke, or its contract did. */
export interface ErroredInput extends AttemptInput {
  readonly type: 'errored';
  readonly error: StepError;
  readonly output?: Ref;
}

/** A person chose an option at a human gate. */
export interface DecidedInput {
  readonly type: 'decided';
  readonly at: number;
  readonly path: Path;
  readonly option: string;
  readonly digest: string;
  readonly actor: string;
  readonly text?: string;
  /** The decision as a value, stored as the step's result. */
  readonly output?: Ref;
  /** The host has proved it before the kernel sees it. */
  readonly signature?: Signature;
}

/** The host looked at what lies outside: facts that join the data, or what the question of a waiting gate is about. */
export type ObservedInput =
  | { readonly type: 'observed'; readonly at: number; readonly facts: Ref }
  | (AttemptInput & {
      readonly type: 'observed';
      readonly subjects: Ref;
      /** How many decisions were waiting when the look began: later ones wait for the next. */
      readonly after: number;
    });

/** An attended worker reported an end; the engine still verifies it. */
export interface ReportedInput extends AttemptInput {
  readonly type: 'reported';
  readonly outcome: OutcomeName;
  readonly output?: Ref;
  /** The worker gives the attempt up. */
  readonly error?: StepError;
}

/** The work was handed out: the instructions, for whoever does it and reports. */
export interface HandedInput extends AttemptInput {
  readonly type: 'handed';
  readonly handover: Ref;
}

/** A worker has questions to the person it works for. */
export interface AskedInput extends AttemptInput {
  readonly type: 'asked';
  readonly questions: Ref;
}

/** A person answered the questions of a worker. */
export interface AnsweredInput extends AttemptInput {
  readonly type: 'answered';
  readonly answers: Ref;
  readonly actor: string;
  readonly signature?: Signature;
}

/** Something outside sent a named signal. */
export interface SignalledInput {
  readonly type: 'signalled';
  readonly at: number;
  readonly name: string;
  readonly payload?: Ref;
}

/** A child run ended or halted. */
export interface ChildEndedInput {
  readonly type: 'childEnded';
  readonly at: number;
  readonly path: Path;
  readonly child: string;
  readonly status: RunStatus;
  readonly output?: Ref;
  readonly message?: string;
  /** Why it could not be started: there is no such run. */
  readonly refused?: StepError;
}

/** Somebody steers the run. */
export interface ControlInput {
  readonly type: 'control';
  readonly at: number;
  readonly actor: string;
  readonly action: ControlAction;
  readonly signature?: Signature;
}

/** The host refused mail: it takes a signature and has none that counts, or it is not for other processes to bring. */
export interface RefusedInput {
  readonly type: 'refused';
  readonly at: number;
  readonly input: string;
  readonly path?: Path;
}

/** What somebody can ask of a run. `resolve` is about an attempt that a crash left unknown, or about all of a group. */
export type ControlAction =
  | { readonly do: 'cancel'; readonly reason?: string }
  | { readonly do: 'pause' }
  | { readonly do: 'acceptCode'; readonly code: string }
  | { readonly do: 'unpause' }
  /** Work that waits for budget or capacity looks again. */
  | { readonly do: 'recheck' }
  /** The run may use so much more than its budgets say; work that waits for budget looks again. */
  | { readonly do: 'grant'; readonly budget: Budget }
  | { readonly do: 'retry'; readonly note?: string; readonly extend?: number }
  | { readonly do: 'accept'; readonly note?: string; readonly output?: Ref }
  /** `passed` are the steps that are not done, or not checked, because of it. */
  | { readonly do: 'goto'; readonly step: string; readonly passed: readonly string[]; readonly note?: string }
  | {
      readonly do: 'resolve';
      readonly path: Path;
      readonly how: 'rerun' | 'accept' | 'fail';
      readonly output?: Ref;
      readonly note?: string;
    };

/** Everything that can happen to a run. */
export type RunInput =
  | StartInput
  | RecoveredInput
  | SlotInput
  | DueInput
  | PreparedInput
  | SettledInput
  | ErroredInput
  | DecidedInput
  | ObservedInput
  | ReportedInput
  | HandedInput
  | AskedInput
  | AnsweredInput
  | SignalledInput
  | ChildEndedInput
  | ControlInput
  | RefusedInput;
