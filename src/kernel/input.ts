// Owns the inputs of a run. Each carries its time: the kernel reads no clock. Inputs that any process may send
// (decisions, reports, signals, control, a child's end) travel as mail; the rest come from the host that owns the run.

import type { Ref } from '../base/digest.ts';
import type { Signature } from '../base/signature.ts';
import type { Budget } from '../definition/budget.ts';
import type { OutcomeName } from '../definition/outcome.ts';
import type { Decision, Observation } from '../definition/question/asked-question.ts';
import type { RunStatus } from '../definition/run-status.ts';
import type { ReactionRecord, ReturnTarget } from '../definition/trigger/reaction.ts';
import type { Path } from './activation.ts';
import type { RunBeginning } from './program.ts';
import type { HaltedStep } from './run-state.ts';

/** Why an attempt has no result. */
export type StepError = { readonly code: string; readonly message: string } & (StepFailure | StepShortage);

/** An attempt failed. `contract` is a broken postcondition; `precondition` ran nothing. */
export interface StepFailure {
  readonly reason: 'error' | 'contract' | 'precondition' | 'timeout';
  /** False when trying again cannot help, whatever the policy says. */
  readonly retryable?: boolean | undefined;
}

/** Something is missing, so the attempt waits. `resumeAt`: when it is expected; `wakeOnSignal`: other work may free it. */
export type StepShortage =
  | { readonly reason: 'quota'; readonly resumeAt?: number | undefined; readonly wakeOnSignal?: true | undefined }
  | { readonly reason: 'budget'; readonly resumeAt?: number | undefined }
  | { readonly reason: 'assumptions' };

/** The attempt that an input is about. */
export interface AttemptInput {
  readonly path: Path;
  readonly attempt: number;
}

/** How an attempt ended. */
export interface AttemptEnding extends AttemptInput {
  readonly outcome: OutcomeName;
  readonly output?: Ref | undefined;
}

/** The fields of each kind of input, in addition to its kind and its time. */
export interface Inputs {
  /** Begins the run at its entry, or at `from` with outputs supplied for what came before. */
  readonly start: RunBeginning;
  /** A new owner took over; attempts that were running have no process any more. */
  readonly recovered: object;
  /** The semaphores of a queued activation are taken in the same commit. */
  readonly slot: { readonly path: Path };
  /** Time passed: everything due by `at` happens. */
  readonly due: object;
  /** The preconditions of a step hold. */
  readonly prepared: AttemptInput & {
    /** The baseline found before the work, which the result is compared with: it joins the data. */
    readonly merge?: Ref | undefined;
    /** The work is handed to an attended worker: beginning it changes nothing. */
    readonly handsOut?: true | undefined;
    /** The question to a person, if a function builds it. */
    readonly prompt?: string | undefined;
  };
  /** The engine observed how an attempt ended, and what its worker assumed instead of asking. */
  readonly settled: AttemptEnding & { readonly assumed?: Ref | undefined };
  /** An attempt failed, or broke its contract. */
  readonly errored: AttemptInput & { readonly error: StepError; readonly output?: Ref | undefined };
  /** A person chose an option at a question. The host has checked the signature before the kernel sees it. */
  readonly decided: Decision & { readonly path: Path; readonly digest: string };
  /** Something outside the run became known: it joins the data, where expressions read it. */
  readonly facts: { readonly facts: Ref };
  /** The host observed the subjects of a question. */
  readonly observed: AttemptInput & {
    readonly seen: Observation;
    /** What has changed since it was last shown, as text. */
    readonly changes?: string | undefined;
    /** How many decisions were waiting when the observation began: later ones wait for the next one. */
    readonly after: number;
  };
  /** The work was handed out, with these instructions. */
  readonly handed: AttemptInput & { readonly handover: Ref };
  /** An attended worker reported a failure, or a result, which the engine still verifies. */
  readonly reported: AttemptInput &
    ({ readonly error: StepError } | (Omit<AttemptEnding, keyof AttemptInput> & { readonly error?: undefined }));
  /** A worker has questions for its person. `saved`: the state that it saved first. */
  readonly asked: AttemptInput & { readonly questions: Ref; readonly saved?: Ref | undefined };
  /** A worker assumed something instead of asking, and continues its work. */
  readonly assumed: AttemptInput & { readonly assumed: Ref };
  /** A person answered the questions of a worker. */
  readonly answered: AttemptInput & { readonly answers: Ref; readonly actor: string; readonly signature?: Signature | undefined };
  /** Something outside sent a named signal. */
  readonly signalled: { readonly name: string; readonly payload?: Ref | undefined };
  /** A child run ended or halted. */
  readonly childEnded: {
    readonly path: Path;
    readonly child: string;
    readonly status: RunStatus;
    readonly output?: Ref | undefined;
    readonly message?: string | undefined;
    /** Set if the child could not be started, for example because it does not exist. */
    readonly refused?: StepError | undefined;
  };
  /** A control request, from a person or a program. */
  readonly control: {
    readonly actor: string;
    readonly action: ControlAction;
    readonly signature?: Signature | undefined;
    /** The event that caused it. */
    readonly reaction?: ReactionRecord | undefined;
  };
  /** The host rejected mail: it lacks a valid signature, or only the owner of the run may send it. */
  readonly refused: { readonly input: string; readonly path?: Path | undefined };
}

/** An input of one kind. */
export type InputOf<Type extends keyof Inputs> = { [T in Type]: { readonly type: T; readonly at: number } & Inputs[T] }[Type];

/** Everything that can happen to a run. */
export type RunInput = InputOf<keyof Inputs>;

/** A request to a run, and who makes it. */
export type ControlRequest<Do extends ControlAction['do']> = Extract<ControlAction, { do: Do }> & { readonly actor: string };

/** A request to change a run. `resolve` settles an attempt that a crash left unknown, or all such members of a group. */
export type ControlAction =
  /** `undo: false` leaves what the run did as it is. */
  | { readonly do: 'cancel'; readonly reason?: string | undefined; readonly undo?: false | undefined }
  | { readonly do: 'pause' }
  | { readonly do: 'unpause' }
  | { readonly do: 'acceptCode'; readonly code: string }
  /** Work that waits for budget or capacity checks again. */
  | { readonly do: 'recheck' }
  /** The run may use this much more than its budgets allow; work that waits for budget checks again. */
  | { readonly do: 'grant'; readonly budget: Budget }
  | { readonly do: 'retry'; readonly note?: string | undefined; readonly extend?: number | undefined }
  | { readonly do: 'accept'; readonly note?: string | undefined; readonly output?: Ref | undefined }
  /** An answer to an assumption. `place`: the step that made it, or its group, as it last ended; it runs again if they differ. */
  | {
      readonly do: 'answer';
      readonly assumption: string;
      readonly agrees: boolean;
      readonly text?: Ref | undefined;
      readonly place?: HaltedStep | undefined;
    }
  /** Runs an ended step and all later ones again: a run that it started made a wrong assumption. */
  | { readonly do: 'again'; readonly place: HaltedStep; readonly note: string }
  /** After an event: gates check again, agents get a note, or the run goes back to a step, at most `max` times. */
  | { readonly do: 'recheckGates' }
  | { readonly do: 'wake'; readonly note: { readonly event: string; readonly text: string }; readonly back?: ReturnTarget | undefined }
  | ({ readonly do: 'back' } & ReturnTarget)
  /** A limit is near, or reached. */
  | { readonly do: 'warn' | 'halt'; readonly limit: string; readonly message: string }
  /** A person has put the files of the workspace back to what they were before a step; it is only recorded, also in a run that is over. */
  | { readonly do: 'undone'; readonly to: Path; readonly files: number; readonly tree: string }
  /** `passed` are the steps and checks that it skips. */
  | { readonly do: 'goto'; readonly step: string; readonly passed: readonly string[]; readonly note?: string | undefined }
  | {
      readonly do: 'resolve';
      readonly path: Path;
      readonly how: 'rerun' | 'accept' | 'fail';
      readonly output?: Ref | undefined;
      readonly note?: string | undefined;
    };
