// Owns the interface between the kernel and what decides the order of steps: a graph's transition tables or a flow's
// generator. The kernel asks the program what comes next; everything else (attempts, joins, waits) is the kernel's.

import type { Ref } from '../base/digest.ts';
import type { Json, JsonObject } from '../base/json.ts';
import type { KindFacts } from '../definition/kind.ts';
import type { StepModel } from '../definition/model.ts';
import type { OutcomeName } from '../definition/outcome.ts';
import type { ScopeNeed } from '../definition/scope/scope.ts';
import type { Detour } from '../definition/skipped-steps.ts';
import type { Membership, Path, PendingResult } from './activation.ts';
import type { TakenEdge } from './event.ts';
import type { StepError } from './input.ts';
import type { HaltCause, RunState } from './run-state.ts';

/** Data that a decision reads and that is not in the checkpoint. */
export type Need = ScopeNeed | { readonly read: 'params' } | { readonly read: 'members' | 'items'; readonly path: Path };

/** How a member of a group ended, as a join or a resumption reads it. */
export interface MemberResult extends Omit<Membership, 'group'> {
  readonly path: Path;
  readonly attempt: number;
  readonly outcome: OutcomeName | 'cancelled';
  readonly output: Json;
  readonly error?: StepError | undefined;
}

/** What programs and expressions read. Reading something that was not declared as a need is a bug of the caller. */
export interface Facts {
  readonly params: JsonObject;
  /** A key of the checkpoint's merged data. */
  data(key: string): Json | undefined;
  /** The latest result of a step. */
  output(step: string): Json | undefined;
  /** A value by reference: the result that is settling, the items of a group. */
  value(ref: Ref): Json;
  /** What was observed in the attempt that is settling. */
  evidence?(path: Path): Json | undefined;
  /** Stores a value that the kernel created (a join's result, what a question showed) and returns its reference. */
  keep(value: Json): Ref | undefined;
}

/** What the host has loaded for a decision, and what is true of each kind of step. */
export interface View extends Facts, Pick<KindFacts, 'kinds'> {
  /** Members of a group that have settled, in the order of their positions. */
  members(group: Path): readonly MemberResult[];
  /** The semaphores a step must hold: those that have a limit now. */
  slots(step: StepModel): readonly string[];
  /** True while the host is stopping: new work stays in the queue for the next owner. */
  readonly holding: boolean;
}

/** How work ended. */
export interface Result extends PendingResult {
  readonly error?: StepError | undefined;
  readonly actor?: string | undefined;
  /** parallel and each: every member that was not skipped rejected. */
  readonly allRejected?: boolean | undefined;
}

/** How an activation ended, as the program sees it. */
export interface EndedActivation extends Result {
  readonly path: Path;
  readonly step: string;
  /** The members of a group whose join failed. */
  readonly members?: readonly MemberResult[] | undefined;
}

/** What the program wants next, and the transition behind it. */
export type Move = { readonly edge?: TakenEdge | undefined } & (
  | { readonly do: 'open'; readonly step: string; readonly input?: string | undefined }
  | { readonly do: 'end'; readonly status: 'completed' | 'rejected'; readonly output?: Ref | undefined; readonly nothingUndone?: true }
  /** Halt for a person, at the step that ended or, in a flow, between two steps. */
  | { readonly do: 'halt'; readonly status: 'failed' | 'escalated'; readonly cause: HaltCause; readonly at: 'step' | 'flow' }
  | { readonly do: 'merge'; readonly data: Ref }
);

/** How a run begins. */
export interface RunBeginning {
  /** Starts here instead of at the entry; earlier results were supplied. */
  readonly from?: string | undefined;
  /** Earlier questions, which are asked again first because `from` comes after them. */
  readonly detour?: Detour | undefined;
  /** Data from outside the run: what triggered it, and its frozen settings. */
  readonly facts?: Ref | undefined;
}

/** A graph or a flow. */
export interface Program {
  /** The model of a step or member, by the name in its activations. */
  model(step: string): StepModel;
  /** True when the visits of a step must be counted. */
  isOnCycle(step: string): boolean;
  /** True when going from a question to a step is going back: every path to the question passes the step. */
  goesBack(question: string, to: string): boolean;
  /** Named outputs: the step that produces each. */
  readonly outputNames?: Readonly<Record<string, string>> | undefined;
  /** The step that runs when the run fails or escalates. */
  readonly onError?: string;
  /** The step that undoes what the run did, one item per visit, newest first; absent if nothing can be undone. */
  readonly onUndo?: string | undefined;
  /** What decisions of this program read, besides the members and items that the kernel itself asks for. */
  readonly reads: readonly Need[];
  /** The first moves, or those from a given step. */
  begin(run: RunState, facts: Facts, start?: RunBeginning): readonly Move[];
  /** Goes back to a step that the run has passed; undefined if the program keeps no state of a run. */
  goBack?(step: string): void;
  /** The moves after an activation ended. */
  next(run: RunState, ended: EndedActivation, facts: Facts): readonly Move[];
}
