// Owns what can happen to a run from outside the kernel. Each input carries its time: the kernel reads no clock. Inputs
// that any process may send (decisions, reports, signals, control, a child's end) travel as mail; the rest come from the
// host that owns the run.

import type { Signature } from '../base/signature.ts';
import type { Budget } from '../definition/budget.ts';
import type { OutcomeName } from '../definition/outcome.ts';
import type { Observation, Path, Ref } from './activation.ts';
import type { Detour, RunStatus } from './run-state.ts';

/**
 * Why an attempt has no result. `contract` is a broken postcondition; `precondition` ran nothing; `quota` and `budget`
 * are waits, not failures.
 */
export interface StepError {
  readonly code: string;
  readonly message: string;
  readonly reason: 'error' | 'contract' | 'precondition' | 'timeout' | 'quota' | 'budget';
  /** quota and budget: from when on there is some again, where that is known. */
  readonly resumeAt?: number | undefined;
  /** False when trying again cannot help, whatever the policy says. */
  readonly retryable?: boolean | undefined;
}

/** What every input has: its kind and its time. */
interface Timed<Type extends string> {
  readonly type: Type;
  readonly at: number;
}

/** An input about one attempt. */
interface OfAttempt<Type extends string> extends Timed<Type> {
  readonly path: Path;
  readonly attempt: number;
}

/** Begins the run at its entry, or at `from` with outputs supplied for what came before. */
export interface StartInput extends Timed<'start'> {
  readonly from?: string | undefined;
  /** The questions that are asked again first, because `from` lies behind them. */
  readonly detour?: Detour | undefined;
  /** Data the run is given from outside: what triggered it, the settings it is frozen to. */
  readonly facts?: Ref | undefined;
}

/** A new owner took over; attempts that were running have no process any more. */
export type RecoveredInput = Timed<'recovered'>;

/** The semaphores that a queued activation wants are taken in the same commit. */
export type SlotInput = Timed<'slot'> & { readonly path: Path };

/** Time passed: everything due by `at` happens. */
export type DueInput = Timed<'due'>;

/** The preconditions of a step that waits or groups hold, or do not (`error`). */
export interface PreparedInput extends OfAttempt<'prepared'> {
  readonly error?: StepError | undefined;
  /** What was found before the work, to be compared with afterwards: it joins the data. */
  readonly merge?: Ref | undefined;
  /** The work is handed to somebody who reports by themselves: beginning it changes nothing. */
  readonly handsOut?: true | undefined;
  /** The question to a person, where a function builds it. */
  readonly prompt?: string | undefined;
}

/** The engine observed how an attempt ended. */
export interface SettledInput extends OfAttempt<'settled'> {
  readonly outcome: OutcomeName;
  readonly output?: Ref | undefined;
}

/** An attempt failed, or broke its contract. */
export interface ErroredInput extends OfAttempt<'errored'> {
  readonly error: StepError;
  readonly output?: Ref | undefined;
}

/** A person chose an option at a question. The host has checked the signature before the kernel sees it. */
export interface DecidedInput extends Timed<'decided'> {
  readonly path: Path;
  readonly option: string;
  readonly digest: string;
  readonly actor: string;
  readonly text?: string | undefined;
  /** The decision as a value, stored as the step's result. */
  readonly output?: Ref | undefined;
  readonly signature?: Signature | undefined;
}

/** The host looked at what lies outside: facts that join the data, or what the question of a waiting step is about. */
export type ObservedInput =
  | (Timed<'observed'> & { readonly facts: Ref })
  | (OfAttempt<'observed'> & {
      readonly seen: Observation;
      /** What has changed since it was last shown, in words. */
      readonly changes?: string | undefined;
      /** How many decisions were waiting when the look began: later ones wait for the next. */
      readonly after: number;
    });

/** The work was handed out: the instructions, for whoever does it and reports. */
export type HandedInput = OfAttempt<'handed'> & { readonly handover: Ref };

/** An attended worker reported an end, or gives the attempt up (`error`). The engine still verifies it. */
export interface ReportedInput extends OfAttempt<'reported'> {
  readonly outcome: OutcomeName;
  readonly output?: Ref | undefined;
  readonly error?: StepError | undefined;
}

/** A worker has questions to the person it works for. `saved`: the state that it saved first. */
export type AskedInput = OfAttempt<'asked'> & { readonly questions: Ref; readonly saved?: Ref | undefined };

/** A person answered the questions of a worker. */
export interface AnsweredInput extends OfAttempt<'answered'> {
  readonly answers: Ref;
  readonly actor: string;
  readonly signature?: Signature | undefined;
}

/** Something outside sent a named signal. */
export type SignalledInput = Timed<'signalled'> & { readonly name: string; readonly payload?: Ref | undefined };

/** A child run ended or halted. */
export interface ChildEndedInput extends Timed<'childEnded'> {
  readonly path: Path;
  readonly child: string;
  readonly status: RunStatus;
  readonly output?: Ref | undefined;
  readonly message?: string | undefined;
  /** Why it could not be started: there is no such run. */
  readonly refused?: StepError | undefined;
}

/** Somebody steers the run. */
export interface ControlInput extends Timed<'control'> {
  readonly actor: string;
  readonly action: ControlAction;
  readonly signature?: Signature | undefined;
}

/** The host refused mail: it needs a signature that counts and has none, or only the owner of the run may send it. */
export type RefusedInput = Timed<'refused'> & { readonly input: string; readonly path?: Path | undefined };

/** What somebody can ask of a run. `resolve` is about an attempt that a crash left unknown, or about all of a group. */
export type ControlAction =
  | { readonly do: 'cancel'; readonly reason?: string | undefined }
  | { readonly do: 'pause' }
  | { readonly do: 'acceptCode'; readonly code: string }
  | { readonly do: 'unpause' }
  /** Work that waits for budget or capacity looks again. */
  | { readonly do: 'recheck' }
  /** The run may use so much more than its budgets say; work that waits for budget looks again. */
  | { readonly do: 'grant'; readonly budget: Budget }
  | { readonly do: 'retry'; readonly note?: string | undefined; readonly extend?: number | undefined }
  | { readonly do: 'accept'; readonly note?: string | undefined; readonly output?: Ref | undefined }
  /** `passed` are the steps that are not done, or not checked, because of it. */
  | { readonly do: 'goto'; readonly step: string; readonly passed: readonly string[]; readonly note?: string | undefined }
  | {
      readonly do: 'resolve';
      readonly path: Path;
      readonly how: 'rerun' | 'accept' | 'fail';
      readonly output?: Ref | undefined;
      readonly note?: string | undefined;
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
  | HandedInput
  | ReportedInput
  | AskedInput
  | AnsweredInput
  | SignalledInput
  | ChildEndedInput
  | ControlInput
  | RefusedInput;
