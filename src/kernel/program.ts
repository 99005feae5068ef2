// Owns the seam between the kernel and what decides the order of steps: a graph's transition tables or a flow's
// generator. The kernel asks the program what comes next; everything else (attempts, joins, waits) is the kernel's.

import type { Json, JsonObject } from '../base/json.ts';
import type { StepModel } from '../definition/model.ts';
import type { OutcomeName } from '../definition/outcome.ts';
import type { ScopeNeed } from '../definition/scope.ts';
import type { Path, Ref } from './activation.ts';
import type { StepError } from './input.ts';
import type { Detour, HaltCause, RunState } from './run-state.ts';

/** Something a decision will read that is not in the checkpoint. */
export type Need = ScopeNeed | { readonly read: 'params' } | { readonly read: 'members' | 'items'; readonly path: Path };

/** How a member of a group ended, as a join or a resumption reads it. */
export interface MemberResult {
  readonly path: Path;
  readonly key: string;
  readonly index: number;
  readonly attempt: number;
  readonly outcome: OutcomeName | 'cancelled';
  readonly output: Json;
  readonly error?: StepError | undefined;
}

/** What the host has loaded for a decision. Reading what was not asked for is a bug of the caller. */
export interface View {
  readonly params: JsonObject;
  /** A key of the checkpoint's merged data. */
  data(key: string): Json | undefined;
  /** The latest result of a step. */
  output(step: string): Json | undefined;
  /** A value by reference: the result that is settling, the items of a group. */
  value(ref: Ref): Json;
  /** What was observed in the attempt that is settling. */
  evidence?(path: Path): Json | undefined;
  /** Members of a group that have settled, in the order of their positions. */
  members(group: Path): readonly MemberResult[];
  /** The semaphores a step must hold: those that have a limit now. */
  slots(step: StepModel): readonly string[];
  /** True while the host is stopping: what would begin now is left in the queue for the next owner. */
  readonly holding: boolean;
  /** Keeps a value the kernel made (a join's result, what a gate showed) and gives its reference. */
  keep(value: Json): Ref | undefined;
}

/** How an activation ended, as the program sees it. */
export interface Ended {
  readonly path: Path;
  readonly step: string;
  readonly outcome: OutcomeName;
  readonly output?: Ref | undefined;
  readonly error?: StepError | undefined;
  /** A person's choice that names where to go. */
  readonly choice?: string | undefined;
  /** parallel: every branch rejected. */
  readonly allRejected?: boolean | undefined;
}

/** What the program wants next. */
export type Move =
  | { readonly do: 'open'; readonly step: string; readonly input?: string | undefined; readonly edge?: TakenEdge | undefined }
  | {
      readonly do: 'end';
      readonly status: 'completed' | 'rejected';
      readonly output?: Ref | undefined;
      readonly edge?: TakenEdge | undefined;
    }
  /** Stop for a person, at the step that ended or, in a flow, between two. */
  | {
      readonly do: 'halt';
      readonly status: 'failed' | 'escalated';
      readonly cause: HaltCause;
      readonly at: 'step' | 'flow';
      readonly edge?: TakenEdge | undefined;
    }
  | { readonly do: 'merge'; readonly data: Ref; readonly edge?: undefined };

/** The transition behind a move. */
export interface TakenEdge {
  readonly to: string;
  readonly key?: string | undefined;
  readonly exhausted?: true;
  readonly merge?: Ref | undefined;
}

/** How a run begins. */
export interface Begin {
  /** Not at the entry but here; what came before was supplied. */
  readonly from?: string | undefined;
  /** The questions that are asked again first, because `from` lies behind them. */
  readonly detour?: Detour | undefined;
  /** Data the run is given from outside: what triggered it, the settings it is frozen to. */
  readonly facts?: Ref | undefined;
}

/** A graph or a flow. */
export interface Program {
  /** The data of a step or member, by the name its activations carry. */
  model(step: string): StepModel;
  /** True when the visits of a step must be counted. */
  isOnCycle(step: string): boolean;
  /** True when going from a question to a step is going back: every way to the question passes the step. */
  goesBack(question: string, to: string): boolean;
  /** Outputs that are known by their own name: the step that produces each. */
  readonly outputNames?: Readonly<Record<string, string>> | undefined;
  /** The step with which it is told that the run failed or escalated. */
  readonly onError?: string;
  /** What decisions of this program read, beside the members and items the kernel itself asks for. */
  readonly reads: readonly Need[];
  /** The first moves, or those from a given step. */
  begin(run: RunState, view: View, start?: Begin): readonly Move[];
  /** The moves after an activation ended. */
  next(run: RunState, ended: Ended, view: View): readonly Move[];
}
