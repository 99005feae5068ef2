// Owns one visit of a step that has not settled yet: a closed union by `state`. What a waiting one waits for is a
// closed union by `kind`. A settled activation is a row of history and not part of the checkpoint.

import type { Signature } from '../base/signature.ts';
import type { StepKind } from '../definition/model.ts';
import type { OutcomeName } from '../definition/outcome.ts';

/** The address of an activation: `step#visit`, or `group#visit/key` for a member of a group. */
export type Path = string;

/** A value that is stored beside the checkpoint, addressed by its content. */
export interface Ref {
  readonly digest: string;
  readonly bytes: number;
}

/** What a person chose. */
export interface Decision {
  readonly option: string;
  readonly actor: string;
  readonly text?: string | undefined;
  /** The decision as a value. */
  readonly output?: Ref | undefined;
  readonly signature?: Signature | undefined;
}

/** Who chose what. */
export interface Vote {
  readonly option: string;
  readonly actor: string;
}

/** What the host saw when it looked at the things outside that a question is about. Their content means nothing here. */
export interface Observation {
  readonly subjects: Ref;
  /** Data that joins the run's when the question is approved, and when it is answered otherwise. */
  readonly approved?: Ref | undefined;
  readonly refused?: Ref | undefined;
  /** Fields that an approval adds to the step's result. */
  readonly output?: Ref | undefined;
}

/** A question to a person. */
export interface HumanWait {
  readonly kind: 'human';
  /** The digest of everything shown; a decision must name it. Absent until the things outside were looked at. */
  readonly digest?: string | undefined;
  /** Where the question is about things outside the run. */
  readonly outside?:
    | {
        /** The digest of the question alone. */
        readonly question: string;
        readonly seen?: Observation | undefined;
        /** Decisions that count once the things outside were looked at again. */
        readonly decided?: readonly Decision[] | undefined;
      }
    | undefined;
  /** How often it was asked again, because something changed or because people disagreed. */
  readonly round?: number | undefined;
  /** Who has chosen what so far, where it takes several people. */
  readonly votes?: readonly Vote[] | undefined;
  /** How often people disagreed, and the void votes of the last time. */
  readonly split?: { readonly times: number; readonly votes: readonly Vote[] } | undefined;
  /** A decision needs a signature, whatever the run asks for elsewhere. */
  readonly signed?: true | undefined;
  /** The values shown. */
  readonly shown?: Ref | undefined;
  /** The question itself, where no stored definition holds it as it was asked: in a flow, or with templates filled in. */
  readonly gate?: Ref | undefined;
}

/** What a live activation waits for; when it ends by itself is in the activation. */
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
  | { readonly kind: 'capacity' }
  | { readonly kind: 'budget' };

/** A result that still has to be verified or approved. */
export interface Held {
  readonly outcome: OutcomeName;
  readonly output?: Ref | undefined;
  readonly choice?: string | undefined;
}

/** What every live activation has, whatever its state. */
export interface Visit {
  readonly path: Path;
  readonly step: string;
  readonly kind: StepKind;
  /** Counts from 1 over the whole life of the path; a re-run after a crash keeps it, a retry has the next. */
  readonly attempt: number;
  /** The attempt that the present retry budget began with. */
  readonly since: number;
  /** How often a crash interrupted the present attempt. */
  readonly recovery: number;
  readonly openedAt: number;
  /** The group this is a member of, and its place there. */
  readonly member?: Membership | undefined;
  /** flow: digest of what was yielded, compared on replay. */
  readonly input?: string | undefined;
  /** It runs beside the others: the run is not at this step. */
  readonly side?: true | undefined;
  /** When the step as a whole times out, over all its waits. */
  readonly deadline?: number | undefined;
  /** How often its time was extended. */
  readonly extensions?: number | undefined;
  /** How many attempts of this retry budget broke the contract; they have a budget of their own. */
  readonly broken?: number | undefined;
  /** What was wrong with the last attempt; passed to the next one. */
  readonly feedback?: string | undefined;
  /** Answers to questions of its workers, oldest first; passed to every later attempt. */
  readonly answers?: readonly Ref[] | undefined;
  /** The state that its worker saved before the last questions; passed to every later attempt. */
  readonly saved?: Ref | undefined;
  /** What its result is compared with is on record. */
  readonly based?: true | undefined;
  /** Its work is handed to somebody else: until it is, nothing has happened. */
  readonly handsOut?: true | undefined;
}

/** The place of a member in its group. */
export interface Membership {
  readonly group: Path;
  readonly key: string;
  readonly index: number;
}

/** Not begun yet; `slots` are the semaphores it needs. */
export type Queued = Visit & { readonly state: 'queued'; readonly slots?: readonly string[] | undefined };

/** The host checks preconditions, or records what the result is compared with. */
export type Preparing = Visit & { readonly state: 'preparing'; readonly startedAt: number };

/** The host works on it. `due` is its time limit; `until` is the end of a delay that polls. */
export type Running = Visit & {
  readonly state: 'running';
  readonly startedAt: number;
  readonly due?: number | undefined;
  readonly slots?: readonly string[] | undefined;
  readonly until?: number | undefined;
};

/** It waits for something outside. `due` is when the wait ends by itself. */
export type Waiting = Visit & {
  readonly state: 'waiting';
  readonly wait: Wait;
  readonly startedAt?: number | undefined;
  readonly due?: number | undefined;
  readonly held?: Held | undefined;
};

/** The host checks a result against the contract. */
export type Verifying = Visit & { readonly state: 'verifying'; readonly held: Held; readonly startedAt?: number | undefined };

/** The host finds out whether an interrupted attempt took effect. */
export type Reconciling = Visit & {
  readonly state: 'reconciling';
  readonly startedAt: number;
  readonly slots?: readonly string[] | undefined;
};

/** A crash left no record of how the attempt ended; a person decides. */
export type Unknown = Visit & { readonly state: 'unknown'; readonly startedAt: number };

/** One visit of a step that has not settled yet. */
export type Activation = Queued | Preparing | Running | Waiting | Verifying | Reconciling | Unknown;

const VISIT_FIELDS = [
  'path',
  'step',
  'kind',
  'attempt',
  'since',
  'recovery',
  'openedAt',
  'member',
  'input',
  'side',
  'deadline',
  'extensions',
  'broken',
  'feedback',
  'answers',
  'saved',
  'based',
  'handsOut',
] as const satisfies readonly (keyof Visit)[];

/** The activation without what belongs to its present state. */
export function visitOf(activation: Activation): Visit {
  const visit: Partial<Record<keyof Visit, unknown>> = {};
  for (const field of VISIT_FIELDS) if (activation[field] !== undefined) visit[field] = activation[field];
  // All fields that a visit must have are in the list and were there before.
  return visit as unknown as Visit;
}

/** What an activation waits for, if it does. */
export function waitOf(activation: Activation | undefined): Wait | undefined {
  return activation?.state === 'waiting' ? activation.wait : undefined;
}

/** The question to a person that an activation waits for, if it does. */
export function humanWaitOf(activation: Activation | undefined): HumanWait | undefined {
  const wait = waitOf(activation);
  return wait?.kind === 'human' ? wait : undefined;
}

/** The child run that an activation waits for, if it does. */
export function childOf(activation: Activation | undefined): string | undefined {
  const wait = waitOf(activation);
  return wait?.kind === 'child' ? wait.run : undefined;
}

/** The result of an activation that still has to be verified or approved. */
export function heldBy(activation: Activation | undefined): Held | undefined {
  return activation?.state === 'waiting' || activation?.state === 'verifying' ? activation.held : undefined;
}

/** The semaphores that an activation needs or holds. */
export function slotsOf(activation: Activation | undefined): readonly string[] | undefined {
  return activation?.state === 'queued' || activation?.state === 'running' || activation?.state === 'reconciling'
    ? activation.slots
    : undefined;
}

/** When the present state of an activation ends by itself. */
export function dueTimeOf(activation: Activation): number | undefined {
  return activation.state === 'running' || activation.state === 'waiting' ? activation.due : undefined;
}

/** When the present attempt began to work. */
export function startTimeOf(activation: Activation): number | undefined {
  return activation.state === 'queued' ? undefined : activation.startedAt;
}

/** True while the host does something for an activation. */
export function isWorking({ state }: Activation): boolean {
  return state === 'running' || state === 'preparing' || state === 'verifying' || state === 'reconciling';
}
