// Owns the inputs of a run. Each carries its time: the kernel reads no clock. Inputs that any process may send
// (decisions, reports, signals, control, a child's end) travel as mail; the rest come from the host that owns the run.

import type { Signature } from '../base/signature.ts';
import type { Budget } from '../definition/budget.ts';
import type { OutcomeName } from '../definition/outcome.ts';
import type { Decision, Observation } from '../definition/question/asked-question.ts';
import type { RunStatus } from '../definition/run-status.ts';
import type { ReactionRecord, WayBack } from '../definition/trigger/reaction.ts';
import type { Path, Ref } from './activation.ts';
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

/**
 * Something is missing that the attempt needs: it waits, and has not failed. `resumeAt` is when there is some again, if that is
 * known; `onNews` says that it waits for work elsewhere, so that a signal from there is worth another try at once.
 */
export type StepShortage =
  | { readonly reason: 'quota'; readonly resumeAt?: number | undefined; readonly onNews?: true | undefined }
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
  readonly recovered: unknown;
  /** The semaphores of a queued activation are taken in the same commit. */
  readonly slot: { readonly path: Path };
  /** Time passed: everything due by `at` happens. */
  readonly due: unknown;
  /** The preconditions of a step that waits or opens a group hold, or do not (`error`). */
  readonly prepared: AttemptInput & {
    readonly error?: StepError | undefined;
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
  /** The host observed something outside the run: facts that join the data, or the subjects of a question. */
  readonly observed:
    | { readonly facts: Ref }
    | (AttemptInput & {
        readonly seen: Observation;
        /** What has changed since it was last shown, as text. */
        readonly changes?: string | undefined;
        /** How many decisions were waiting when the observation began: later ones wait for the next one. */
        readonly after: number;
      });
  /** The work was handed out, with these instructions. */
  readonly handed: AttemptInput & { readonly handover: Ref };
  /** An attended worker reported a result, or a failure (`error`). The engine still verifies it. */
  readonly reported: AttemptEnding & { readonly error?: StepError | undefined };
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
    /** Why it could not be started: there is no such run. */
    readonly refused?: StepError | undefined;
  };
  /** A control request, from a person or a program. */
  readonly control: {
    readonly actor: string;
    readonly action: ControlAction;
    readonly signature?: Signature | undefined;
    /** The forge event that caused it. */
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
  /**
   * An answer to what a worker assumed. `place`: the step that assumed it, or the group it is a member of, as it last
   * ended; it runs again when the answer differs.
   */
  | {
      readonly do: 'answer';
      readonly assumption: string;
      readonly agrees: boolean;
      readonly text?: Ref | undefined;
      readonly place?: HaltedStep | undefined;
    }
  /** Runs an ended step and all later ones again: a run that it started made a wrong assumption. */
  | { readonly do: 'again'; readonly place: HaltedStep; readonly note: string }
  /** After an event of the forge: gates check again, agents get a note, or the run goes back to a step, at most `max` times. */
  | { readonly do: 'recheckGates' }
  | { readonly do: 'wake'; readonly note: { readonly event: string; readonly text: string }; readonly back?: WayBack | undefined }
  | ({ readonly do: 'back' } & WayBack)
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
