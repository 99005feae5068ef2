// Owns the facts of a run's log. An event holds every choice that was made, guards included, so that folding the
// log needs no program and no view. What an old event means never changes; a new meaning is a numbered flag.

import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import type { Signature } from '../base/signature.ts';
import type { Budget } from '../definition/budget.ts';
import type { OutcomeName } from '../definition/outcome.ts';
import type { Activation, Path, Ref } from './activation.ts';
import type { ControlAction, StepError } from './input.ts';
import type { Detour, Group, Halt, PersonNote, RunState } from './run-state.ts';
import type { Setback } from './setback.ts';

/** What a person let pass by hand, without the check, the question or the work that the definition asks for there. */
export interface Override {
  /** `accept` and `done` took a step as done, `goto`, `from` and `fork` went past steps; `child` happened in a run it started. */
  readonly how: 'accept' | 'done' | 'goto' | 'from' | 'fork' | 'child';
  readonly actor: string;
  /** The steps that were passed. */
  readonly passed: readonly string[];
  /** goto, from, fork: the step the run went on with. */
  readonly to?: string;
  /** child: its run. */
  readonly child?: string;
  readonly note?: string | undefined;
}

/** The run exists; its first event. A fork names where its history comes from. */
export interface RunStarted {
  readonly type: 'run.started';
  readonly at: number;
  readonly run: Pick<RunState, 'id' | 'workflow' | 'def' | 'form' | 'flags' | 'params' | 'parent' | 'depth' | 'signed'>;
  readonly fork?: { readonly run: string; readonly seq: number; readonly step: string };
  readonly counts?: RunState['counts'];
  /** Results given in place of steps that are not run. */
  readonly supplied?: Readonly<Record<string, Ref>>;
  /** What is passed by beginning where it begins. */
  readonly override?: Override;
  /** The fingerprints of the keys that counted when it began: a signature counts by one of them, or by one they enrolled. */
  readonly keys?: readonly string[];
  /** Whose word it is that it begins behind its first step, or with results that were given. */
  readonly signed?: { readonly from: string; readonly actor: string; readonly signature: Signature };
}

/** A signed decision, with all that the signature is about and the event does not say elsewhere. */
export interface SignedDecision {
  readonly on: 'decision';
  readonly path: Path;
  readonly digest: string;
  readonly signature: Signature;
}

/** Signed answers to the questions of a worker. */
export interface SignedAnswer {
  readonly on: 'answer';
  readonly path: Path;
  readonly attempt: number;
  readonly answers: Ref;
  readonly signature: Signature;
}

/** Something signed that a person asked of the run. */
export interface SignedControl {
  readonly on: 'control';
  readonly action: ControlAction;
  readonly signature: Signature;
}

/** What happened to the run as a whole. */
export type RunChange =
  | {
      readonly change: 'ended';
      readonly status: 'completed' | 'overridden' | 'rejected' | 'cancelled';
      readonly output?: Ref | undefined;
      readonly note?: string | undefined;
    }
  | { readonly change: 'halted'; readonly status: 'failed' | 'escalated'; readonly halt: Halt }
  /** A person let it go on after a halt. */
  | { readonly change: 'resumed'; readonly note?: string | undefined; readonly notes?: readonly PersonNote[] | undefined }
  /** It was cancelled and waits for its children to end. */
  | { readonly change: 'cancelling'; readonly note?: string | undefined }
  | { readonly change: 'paused' }
  | { readonly change: 'unpaused' }
  /** It goes on with other functions than it began with: their digest. */
  | { readonly change: 'code-accepted'; readonly code: string }
  /** It may use so much more than its budgets say. */
  | { readonly change: 'budget-granted'; readonly granted: Budget }
  | { readonly change: 'bound-extended'; readonly edge: string; readonly by: number }
  /** A person let something pass by hand. */
  | { readonly change: 'overridden'; readonly override: Override }
  /** A person chose an option at a question. */
  | {
      readonly change: 'decided';
      readonly decision: NonNullable<RunState['decision']>;
      readonly notes?: readonly PersonNote[] | undefined;
      readonly signed?: SignedDecision | undefined;
    }
  /** A person signed what follows. */
  | { readonly change: 'signed'; readonly signed: SignedAnswer | SignedControl }
  /** What people wrote and no agent has worked with yet, as it is from now on. */
  | { readonly change: 'noted'; readonly notes: readonly PersonNote[]; readonly note?: string | undefined }
  /** What went wrong and no agent has worked on since, as it is from now on. */
  | { readonly change: 'set-back'; readonly setbacks: readonly Setback[] }
  /** The questions that are still to be asked again; `null` when there are none left. */
  | { readonly change: 'detoured'; readonly detour: Detour | null }
  /** Data joined the checkpoint's. */
  | { readonly change: 'merged'; readonly merge: Ref }
  | { readonly change: 'signal-queued'; readonly name: string; readonly payload: Ref | null }
  | { readonly change: 'signal-taken'; readonly name: string };

/** The run as a whole changed; `actor` is who did it, where it was somebody. */
export type RunChanged = RunChange & { readonly type: 'run.changed'; readonly at: number; readonly actor?: string | undefined };

/** An activation came to life. `visit` is its number, where the step lies on a cycle and its visits are counted. */
export interface StepOpened {
  readonly type: 'step.opened';
  readonly at: number;
  readonly activation: Activation;
  readonly visit?: number | undefined;
}

/** A live activation changed: it is now as given. */
export interface StepChanged {
  readonly type: 'step.changed';
  readonly at: number;
  readonly activation: Activation;
  /** The group that this activation opens. */
  readonly group?: Group | undefined;
  /** The attempt that ended here without settling the activation (it is tried again). */
  readonly failed?: { readonly attempt: number; readonly error: StepError } | undefined;
  /** Who caused it, where it was a person, and why. */
  readonly actor?: string | undefined;
  readonly note?: string | undefined;
}

/** An activation ended. `merge`: its object result joins the checkpoint's data, or only a part of it, by reference. */
export interface StepSettled {
  readonly type: 'step.settled';
  readonly at: number;
  readonly path: Path;
  readonly attempt: number;
  readonly outcome: OutcomeName | 'cancelled';
  readonly output?: Ref | undefined;
  readonly error?: StepError | undefined;
  readonly merge?: true | Ref | undefined;
  /** Its group counts it under this head; a member cut off by a settled join is counted nowhere. */
  readonly counts?: 'ok' | 'reject' | 'fail' | 'skip' | undefined;
  readonly actor?: string | undefined;
}

/** A transition was chosen. `key` is counted when the edge is bounded; `exhausted` says its bound was used up. */
export interface EdgeTaken {
  readonly type: 'edge.taken';
  readonly at: number;
  readonly from: Path;
  readonly outcome: OutcomeName;
  readonly to: string;
  readonly key?: string | undefined;
  readonly exhausted?: true;
  /** Data that joins the checkpoint's before the target opens. */
  readonly merge?: Ref | undefined;
}

/** A group settled. `merge` holds what its members' object results add to the data, merged in order. */
export interface GroupJoined {
  readonly type: 'group.joined';
  readonly at: number;
  readonly path: Path;
  readonly outcome: OutcomeName;
  readonly counters: Pick<Group, 'total' | 'ok' | 'reject' | 'fail' | 'skip'>;
  readonly merge?: Ref | undefined;
}

/** Something settled is taken up again by a person; a group comes with its counters as they are then. */
export interface StepReopened {
  readonly type: 'step.reopened';
  readonly at: number;
  readonly activation: Activation;
  readonly group?: Group | undefined;
  readonly actor?: string | undefined;
}

/** Something came that changes nothing, and why. */
export interface InputIgnored {
  readonly type: 'input.ignored';
  readonly at: number;
  readonly input: string;
  readonly path?: Path | undefined;
  readonly attempt?: number | undefined;
  readonly reason: 'late' | 'final' | 'duplicate' | 'stale-digest' | 'no-wait' | 'not-allowed';
}

/** The activation that an event opens or changes, as it is afterwards. */
export function activationIn(event: RunEvent): Activation | undefined {
  return event.type === 'step.opened' || event.type === 'step.reopened' || event.type === 'step.changed' ? event.activation : undefined;
}

/** A decision of a person. */
export type RunDecided = Extract<RunChanged, { change: 'decided' }>;

/** What a person let pass by hand with an event. */
export function overrideIn(event: RunEvent): Override | undefined {
  if (event.type === 'run.started') return event.override;
  return event.type === 'run.changed' && event.change === 'overridden' ? event.override : undefined;
}

/** The path of the activation that an event is about. */
export function pathOf(event: RunEvent | undefined): Path | undefined {
  if (event === undefined) return undefined;
  return event.type === 'step.settled' ? event.path : activationIn(event)?.path;
}

/** The data that an event adds to the checkpoint's, by reference. */
export function mergedBy(event: RunEvent): Ref | undefined {
  switch (event.type) {
    case 'group.joined':
    case 'edge.taken':
      return event.merge;
    case 'run.changed':
      return event.change === 'merged' ? event.merge : undefined;
    case 'step.settled':
      return event.merge === true ? event.output : event.merge;
    default:
      return undefined;
  }
}

/**
 * What of such data joins the checkpoint's. Names with `$` are the engine's own (what it found, judged and accepted), so
 * nothing that a step returns, or that is returned in its place, has one.
 */
export function joiningData(event: RunEvent, value: Json): JsonObject {
  if (!isJsonObject(value)) return {};
  return event.type === 'run.changed' ? value : withoutOwnNames(value);
}

/** Data of steps without the names that are the engine's own. */
export function withoutOwnNames(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !name.startsWith('$')));
}

/** One fact of a run's log. */
export type RunEvent =
  | RunStarted
  | RunChanged
  | StepOpened
  | StepChanged
  | StepSettled
  | EdgeTaken
  | GroupJoined
  | StepReopened
  | InputIgnored;
