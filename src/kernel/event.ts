// Owns the events of a run's log. An event holds every choice that was made, guards included, so that folding the
// log needs no program and no view. The meaning of an old event never changes; a new meaning needs a numbered flag.

import type { Ref } from '../base/digest.ts';
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import type { Signature } from '../base/signature.ts';
import type { Budget } from '../definition/budget.ts';
import type { Counters, Group } from '../definition/group/join.ts';
import type { OutcomeName } from '../definition/outcome.ts';
import type { Assumption, AssumptionAnswer } from '../definition/question/assumption-record.ts';
import type { PersonNote, Setback } from '../definition/question/notes.ts';
import { withoutOwnNames } from '../definition/scope/joining-data.ts';
import type { Detour, Override } from '../definition/skipped-steps.ts';
import type { ReactionRecord } from '../definition/trigger/reaction.ts';
import type { Activation, Path } from './activation.ts';
import type { ControlAction, StepError } from './input.ts';
import type { Halt, RunState } from './run-state.ts';

/** The fields of each kind of event, in addition to its kind and its time. */
export interface Events {
  /** The run exists; its first event. A fork names where its history comes from. */
  readonly 'run.started': {
    readonly run: Pick<RunState, 'id' | 'workflow' | 'def' | 'form' | 'flags' | 'params' | 'parent' | 'depth' | 'signed'>;
    readonly fork?: { readonly run: string; readonly seq: number; readonly step: string };
    readonly counts?: RunState['counts'];
    /** Assumptions of the original run that the fork depends on, or whose answers it needs. */
    readonly assumptions?: readonly Assumption[];
    /** Results given in place of steps that are not run. */
    readonly supplied?: Readonly<Record<string, Ref>>;
    /** What is skipped by starting at that step. */
    readonly override?: Override;
    /** Fingerprints of the keys that were valid at the start: signatures by them, or by keys they enrolled, count. */
    readonly keys?: readonly string[];
    /** Who signed that it starts after its first step, or with supplied results. */
    readonly signed?: { readonly from?: string; readonly actor: string; readonly signature: Signature };
  };
  /** The run as a whole changed; `actor` is the person or program that changed it, if any. */
  readonly 'run.changed': RunChange & { readonly actor?: string | undefined };
  /** An activation opened. `visit` is its number if the step is on a cycle, where visits are counted. */
  readonly 'step.opened': { readonly activation: Activation; readonly visit?: number | undefined };
  /** A live activation changed: it is now as given. */
  readonly 'step.changed': {
    readonly activation: Activation;
    /** The group that this activation opens. */
    readonly group?: Group | undefined;
    /** The attempt that ended here without settling the activation (it is tried again). */
    readonly failed?: { readonly attempt: number; readonly error: StepError } | undefined;
    /** Who caused it, if it was a person, and why. */
    readonly actor?: string | undefined;
    readonly note?: string | undefined;
  };
  /** An activation ended. `merge`: its object result joins the checkpoint's data, or only a part of it, by reference. */
  readonly 'step.settled': {
    readonly path: Path;
    readonly attempt: number;
    readonly outcome: OutcomeName | 'cancelled';
    readonly output?: Ref | undefined;
    readonly error?: StepError | undefined;
    readonly merge?: true | Ref | undefined;
    /** The group counter that it is added to; a member cut off by a settled join is not counted. */
    readonly counts?: 'ok' | 'reject' | 'fail' | 'skip' | undefined;
    readonly actor?: string | undefined;
  };
  /** A transition was chosen; a jump comes from no step. `key` is counted when the edge is bounded; `exhausted` says its bound was used up. */
  readonly 'edge.taken': TakenEdge & { readonly from?: Path | undefined; readonly outcome: OutcomeName };
  /** A group settled. `merge` holds what its members' object results add to the data, merged in order. */
  readonly 'group.joined': {
    readonly path: Path;
    readonly outcome: OutcomeName;
    readonly counters: Counters;
    readonly merge?: Ref | undefined;
  };
  /** A person reopened a settled step; a group carries its new counters. */
  readonly 'step.reopened': { readonly activation: Activation; readonly group?: Group | undefined; readonly actor?: string | undefined };
  /** An input changed nothing, and why. */
  readonly 'input.ignored': {
    readonly input: string;
    readonly path?: Path | undefined;
    readonly attempt?: number | undefined;
    readonly reason: 'late' | 'final' | 'duplicate' | 'stale-digest' | 'no-wait' | 'not-allowed';
  };
}

/** An event of one kind. */
export type EventOf<Type extends keyof Events> = { [T in Type]: { readonly type: T; readonly at: number } & Events[T] }[Type];

/** One event of a run's log. */
export type RunEvent = EventOf<keyof Events>;

/** The transition behind a move. */
export interface TakenEdge {
  readonly to: string;
  readonly key?: string | undefined;
  readonly exhausted?: true;
  /** Data that joins the checkpoint's before the target opens. */
  readonly merge?: Ref | undefined;
}

/** What a person signed, with everything that the signature covers and the event does not contain elsewhere. */
export type SignedRecord = { readonly signature: Signature } & (
  | { readonly on: 'decision'; readonly path: Path; readonly digest: string }
  | { readonly on: 'answer'; readonly path: Path; readonly attempt: number; readonly answers: Ref }
  | { readonly on: 'control'; readonly action: ControlAction }
);

/** What happened to the run as a whole. */
export interface Changes {
  readonly ended: {
    readonly status: 'completed' | 'overridden' | 'rejected' | 'cancelled';
    readonly output?: Ref | undefined;
    readonly note?: string | undefined;
  };
  readonly halted: { readonly status: 'failed' | 'escalated'; readonly halt: Halt };
  /** A person resumed it after a halt. */
  readonly resumed: { readonly note?: string | undefined; readonly notes?: readonly PersonNote[] | undefined };
  /** It was cancelled and waits for its children to end. */
  readonly cancelling: { readonly note?: string | undefined; readonly undo?: false | undefined };
  /** What it did is undone first; then it ends like this. */
  readonly undoing: { readonly ending: ChangeOf<'ended' | 'halted'> };
  /** There was nothing to undo: it ends as if undoing had never begun, and where it failed it can be resumed. */
  readonly 'nothing-undone': object;
  readonly paused: object;
  readonly unpaused: object;
  /** It continues with other code than it started with: the digest of that code. */
  readonly 'code-accepted': { readonly code: string };
  /** It may use this much more than its budgets allow. */
  readonly 'budget-granted': { readonly granted: Budget };
  readonly 'bound-extended': { readonly edge: string; readonly by: number };
  /** A person overrode a step, a gate or a limit. */
  readonly overridden: { readonly override: Override };
  /** A person chose an option at a question. */
  readonly decided: {
    readonly decision: NonNullable<RunState['decision']>;
    readonly notes?: readonly PersonNote[] | undefined;
    readonly signed?: Extract<SignedRecord, { on: 'decision' }> | undefined;
  };
  /** A person signed what follows. */
  readonly signed: { readonly signed: Extract<SignedRecord, { on: 'answer' | 'control' }> };
  /** The new list of people's notes that no agent has worked with yet. */
  readonly noted: { readonly notes: readonly PersonNote[]; readonly note?: string | undefined };
  /** The new list of setbacks that no agent has worked on since. */
  readonly 'set-back': { readonly setbacks: readonly Setback[] };
  /** Workers assumed something instead of asking. */
  readonly assumed: { readonly assumptions: readonly Assumption[] };
  /** A person answered what a worker assumed. */
  readonly 'assumption-answered': { readonly assumption: string; readonly answer: AssumptionAnswer };
  /** An event that the workflow reacts to caused the events that follow. */
  readonly reacted: { readonly reaction: ReactionRecord };
  /** The run is approaching one of its limits. */
  readonly warned: { readonly limit: string; readonly message: string };
  /** A person restored files to their state before a step: how many, and the tree before the restore. */
  readonly 'files-undone': { readonly to: Path; readonly files: number; readonly tree: string };
  /** The questions that are still to be asked again; `null` when there are none left. */
  readonly detoured: { readonly detour: Detour | null };
  /** Data joined the checkpoint's. */
  readonly merged: { readonly merge: Ref };
  readonly 'signal-queued': { readonly name: string; readonly payload: Ref | null };
  readonly 'signal-taken': { readonly name: string };
}

/** A change of one kind to the run as a whole. */
export type ChangeOf<Change extends keyof Changes> = { [C in Change]: { readonly change: C } & Changes[C] }[Change];

/** Any change to the run as a whole. */
export type RunChange = ChangeOf<keyof Changes>;

/** The data that an event adds to the checkpoint's, by reference. */
export function mergedBy(event: RunEvent): Ref | undefined {
  if (event.type === 'step.settled') return event.merge === true ? event.output : event.merge;
  return 'merge' in event ? event.merge : undefined;
}

/** The part of such data that joins the checkpoint's: names with `$` are reserved for the engine, so results cannot set them. */
export function joiningData(event: RunEvent, value: Json): JsonObject {
  return event.type === 'run.changed' && isJsonObject(value) ? value : withoutOwnNames(value);
}
