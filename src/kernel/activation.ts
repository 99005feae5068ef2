// Owns one visit of a step that has not settled yet: a closed union by `state`. What a waiting one waits for is a
// closed union by `kind`. A settled activation is a row of history and not part of the checkpoint.

import type { Ref } from '../base/digest.ts';
import type { StepKind } from '../definition/model.ts';
import type { OutcomeName } from '../definition/outcome.ts';
import type { HumanWait } from '../definition/question/asked-question.ts';

/** The address of an activation: `step#visit`, or `group#visit/key` for a member of a group. */
export type Path = string;

/** What a live activation waits for; the activation has the time at which the wait ends by itself. */
export type Wait =
  | HumanWait
  /** The members of a group. */
  | { readonly kind: 'members' }
  /** The repair step of a failed validation. */
  | { readonly kind: 'repair' }
  /** A report of the worker who was handed the step. */
  | { readonly kind: 'report'; readonly handover: Ref }
  /** A person's answer to questions of the worker. */
  | { readonly kind: 'answer'; readonly questions: Ref }
  | { readonly kind: 'child'; readonly run: string }
  | { readonly kind: 'signal'; readonly name: string }
  | { readonly kind: 'delay'; readonly until: number; readonly polls: boolean }
  /** The pause before the next attempt. */
  | { readonly kind: 'retry' }
  /** Checks of a gate that have no verdict yet. */
  | { readonly kind: 'checks' }
  /** Capacity for another try; with `wakeOnSignal`, other work may free some, and a signal ends the wait early. */
  | { readonly kind: 'capacity'; readonly wakeOnSignal?: true | undefined }
  | { readonly kind: 'budget' }
  | { readonly kind: 'assumptions' };

/** A result that still has to be verified or approved. `choice` is the option a person chose, which names where to go. */
export interface PendingResult {
  readonly outcome: OutcomeName;
  readonly output?: Ref | undefined;
  readonly choice?: string | undefined;
}

/** The fields of every live activation, whatever its state. */
export interface Visit {
  readonly path: Path;
  readonly step: string;
  readonly kind: StepKind;
  /** Counts from 1 over the whole life of the path; a re-run after a crash keeps it, a retry has the next. */
  readonly attempt: number;
  /** The attempt that the present retry budget began with; raised with `attempt` by one that uses up no retry (K16). */
  readonly since: number;
  /** How often a crash interrupted the present attempt, if one did. */
  readonly recovery?: number | undefined;
  readonly openedAt: number;
  /** The group this is a member of, and its position there. */
  readonly member?: Membership | undefined;
  /** flow: digest of the yielded value, compared on replay. */
  readonly input?: string | undefined;
  /** True for a side step: it runs beside the others, and is never the current step of the run. */
  readonly side?: true | undefined;
  /** When the step as a whole times out, over all its waits; `due` of a state ends with the state. */
  readonly deadline?: number | undefined;
  /** How often its time limit was extended. */
  readonly extensions?: number | undefined;
  /** How many attempts of this retry budget broke the contract; they have a budget of their own. */
  readonly broken?: number | undefined;
  /** What was wrong with the last attempt; passed to the next one. */
  readonly feedback?: string | undefined;
  /** Answers to questions of its workers, oldest first; passed to every later attempt. */
  readonly answers?: readonly Ref[] | undefined;
  /** The state that its worker saved before the last questions; passed to every later attempt. */
  readonly saved?: Ref | undefined;
  /** Set once the baseline that its result is compared with is recorded. */
  readonly based?: true | undefined;
  /** Its work is handed to an attended worker: until then, nothing has happened. */
  readonly handsOut?: true | undefined;
}

/** The position of a member in its group. */
export interface Membership {
  readonly group: Path;
  readonly key: string;
  readonly index: number;
}

/** The state of a live activation. `startedAt` is when its attempt began to work, `due` when the state ends by itself. */
export type ActivationState =
  /** Not begun yet; `slots` are the semaphores it needs. */
  | { readonly state: 'queued'; readonly slots?: readonly string[] | undefined }
  /** The host checks preconditions, or records the baseline that the result is compared with. */
  | { readonly state: 'preparing'; readonly startedAt: number }
  /** It is running, with the semaphores that it holds. `until`: when a polling delay ends; `signalled`: a signal came meanwhile. */
  | {
      readonly state: 'running';
      readonly startedAt: number;
      readonly due?: number | undefined;
      readonly slots?: readonly string[] | undefined;
      readonly until?: number | undefined;
      readonly signalled?: true | undefined;
    }
  /** It waits for something outside the kernel. */
  | {
      readonly state: 'waiting';
      readonly wait: Wait;
      readonly startedAt?: number | undefined;
      readonly due?: number | undefined;
      readonly held?: PendingResult | undefined;
    }
  /** The host checks a result against the contract. */
  | { readonly state: 'verifying'; readonly held: PendingResult; readonly startedAt?: number | undefined }
  /** The host finds out whether an interrupted attempt took effect. */
  | { readonly state: 'reconciling'; readonly startedAt: number; readonly slots?: readonly string[] | undefined }
  /** A crash left no record of how the attempt ended; a person decides. */
  | { readonly state: 'unknown'; readonly startedAt: number };

/** An activation in one of the given states. */
export type ActivationIn<S extends ActivationState['state']> = Visit & Extract<ActivationState, { readonly state: S }>;

/** One visit of a step that has not settled yet. */
export type Activation = ActivationIn<ActivationState['state']>;

type StateField<S = ActivationState> = S extends ActivationState ? keyof S : never;

const OF_STATE: Record<StateField, 1> = { state: 1, startedAt: 1, due: 1, slots: 1, until: 1, signalled: 1, wait: 1, held: 1 };

/** The activation without the fields of its present state. */
export function visitOf(activation: Activation): Visit {
  const entries = Object.entries(activation).filter(([field, value]) => !(field in OF_STATE) && value !== undefined);
  // An activation without the fields of its state is a visit.
  return Object.fromEntries(entries) as unknown as Visit;
}

/** What an activation waits for, if anything. */
export function waitOf(activation: Activation | undefined): Wait | undefined {
  return activation?.state === 'waiting' ? activation.wait : undefined;
}

/** The question to a person that an activation waits for, if any. */
export function humanWaitOf(activation: Activation | undefined): HumanWait | undefined {
  const wait = waitOf(activation);
  return wait?.kind === 'human' ? wait : undefined;
}

/** The child run that an activation waits for, if any. */
export function childOf(activation: Activation | undefined): string | undefined {
  const wait = waitOf(activation);
  return wait?.kind === 'child' ? wait.run : undefined;
}

/** The result of an activation that still has to be verified or approved, if any. */
export function heldBy(activation: Activation | undefined): PendingResult | undefined {
  return activation !== undefined && 'held' in activation ? activation.held : undefined;
}

/** The semaphores that an activation needs or holds. */
export function slotsOf(activation: Activation | undefined): readonly string[] | undefined {
  return activation !== undefined && 'slots' in activation ? activation.slots : undefined;
}

/** When the present state of an activation ends by itself. */
export function dueTimeOf(activation: Activation): number | undefined {
  return 'due' in activation ? activation.due : undefined;
}

/** When the present attempt began to work. */
export function startTimeOf(activation: Activation): number | undefined {
  return activation.state === 'queued' ? undefined : activation.startedAt;
}
