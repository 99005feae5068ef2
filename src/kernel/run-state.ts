// Owns the checkpoint of a run: everything that the kernel needs to decide what comes next, and nothing more.
//
// K1. The checkpoint is bounded by live work: it does not grow with history or with the size of the definition.
// K2. Work is addressed by path (`step#visit`, `group#visit/key`), never by sequence; an attempt's key is
//     run/path/attempt, so that an executor can recognise a duplicate.
// K3. A final run ignores further inputs, and says so in its log. Only its assumptions can still be answered, and its files
//     put back (`AFTERWARDS` in apply.ts); no step starts because of them.

import type { Ref } from '../base/digest.ts';
import { deriveRunId } from '../base/id.ts';
import type { Budget } from '../definition/budget.ts';
import type { Group } from '../definition/group/join.ts';
import type { OutcomeName } from '../definition/outcome.ts';
import type { Assumption } from '../definition/question/assumption-record.ts';
import type { PersonNote, Setback } from '../definition/question/notes.ts';
import type { RunStatus } from '../definition/run-status.ts';
import type { Detour } from '../definition/skipped-steps.ts';
import type { Activation, Path, Visit } from './activation.ts';
import type { ChangeOf } from './event.ts';

/** Why a run stops. `exhausted` names the edge whose limit is reached, and where it leads. */
export type HaltCause =
  | {
      readonly reason: 'contract' | 'unmapped' | 'target' | 'condition' | 'uncaught';
      readonly message: string;
      readonly code?: string | undefined;
    }
  /** `limit` names the limit that stopped it, if one did. */
  | { readonly reason: 'error'; readonly message: string; readonly code?: string | undefined; readonly limit?: string | undefined }
  | { readonly reason: 'exhausted'; readonly message: string; readonly edge: string; readonly to: string; readonly code?: undefined };

/** The step that a run stopped at, with what is needed to resume it: its last attempt and, for a group, its counters. */
export interface HaltedStep extends Pick<Visit, 'path' | 'step' | 'attempt' | 'input'> {
  readonly outcome: OutcomeName;
  readonly group?: Group | undefined;
}

/** Why a run has stopped until somebody resumes it, and at which step; a flow can also fail between its steps. */
export type Halt = HaltCause & (HaltedStep | { readonly [K in keyof HaltedStep]?: undefined });

/** The checkpoint. */
export interface RunState {
  readonly id: string;
  readonly workflow: string;
  /** Hash of the definition this run is frozen to. */
  readonly def: string;
  readonly form: 'graph' | 'flow';
  /** Numbered changes of meaning that this run was started with, if there were any. */
  readonly flags?: readonly number[];
  readonly status: RunStatus;
  /** How many event rows are committed. */
  readonly seq: number;
  readonly createdAt: number;
  /** Time of the last event. */
  readonly at: number;
  readonly params?: Ref;
  readonly parent?: { readonly run: string; readonly path: Path };
  readonly depth?: number;
  /** Every decision about this run must be signed. */
  readonly signed?: true;
  readonly live: Readonly<Record<Path, Activation>>;
  readonly groups: Readonly<Record<Path, Group>>;
  /** Visits of steps on cycles (`step`), uses of bounded edges (`step:outcome`, `step:outcome:true` for a choice), and jumps. */
  readonly counts: Readonly<Record<string, number>>;
  /** Bounds that a person extended, by edge. */
  readonly extended: Readonly<Record<string, number>>;
  /** Signals that came before anything waited for them, oldest first. */
  readonly signals: Readonly<Record<string, readonly (Ref | null)[]>>;
  readonly paused: boolean;
  /** What people granted it beyond its budgets, in total. */
  readonly granted?: Budget;
  /** A person overrode something: the run ends `overridden` instead of `completed`. The log says what and who. */
  readonly overridden?: true;
  /** Questions that must be asked again before the run reaches its starting step. */
  readonly detour?: Detour;
  /** Set while a cancelled run still waits for its children to end. */
  readonly ending?: 'cancelled';
  /** How the run ends once its work is undone (K24). */
  readonly undoing?: ChangeOf<'ended' | 'halted'>;
  readonly halt?: Halt;
  /** The step that ended last; neither a member of a group nor a side step. */
  readonly last?: string;
  readonly output?: Ref;
  /** What people wrote and no agent has worked with yet, oldest first. */
  readonly notes?: readonly PersonNote[];
  /** What went wrong and no agent has worked on since, oldest first. */
  readonly setbacks?: readonly Setback[];
  /** What workers assumed instead of asking, oldest first. Answered ones stay while there is room (K21). */
  readonly assumptions?: readonly Assumption[];
  /** The last decision of a person. */
  readonly decision?: { readonly step: string; readonly option: string; readonly input?: string | undefined; readonly actor: string };
}

/** True while the run is being cancelled or undone: nothing else continues. */
export function isEnding({ ending, undoing }: RunState): boolean {
  return ending !== undefined || undoing !== undefined;
}

/** True while nothing new may start in the run: it is paused, halted, or ending. */
export function blocksNewSteps(run: RunState): boolean {
  return run.paused || run.halt !== undefined || isEnding(run);
}

/** True while this step may not start. A side step starts even where `blocksNewSteps` holds, but no undo in a paused run. */
export function isHeldBack(run: RunState, { side }: { readonly side?: true | undefined }): boolean {
  return side === true ? run.undoing !== undefined && run.paused : blocksNewSteps(run);
}

/** The live steps at a path whose end is unknown: the step itself or, for a group, its members. */
export function unknownAt(run: RunState, path: Path): readonly Activation[] {
  return Object.values(run.live).filter((live) => live.state === 'unknown' && (live.path === path || live.member?.group === path));
}

/** The activation that a run is at; a member of a group is not, nor is a side step unless it undoes what the run did. */
export function currentOf(run: RunState): Activation | undefined {
  return Object.values(run.live).find(({ member, side }) => member === undefined && (side === undefined || run.undoing !== undefined));
}

/** The step that a run is at, or halted at; once it has ended, the last one. The view `workflow_runs` says the same in SQL. */
export function currentStepOf(run: RunState): string | undefined {
  return currentOf(run)?.step ?? run.halt?.step ?? run.last;
}

/** The id of the run that an attempt starts: always the same, so starting it twice starts it once. */
export function childIdOf(run: string, { path, attempt }: Pick<Activation, 'path' | 'attempt'>): string {
  return deriveRunId(run, `${path}/${attempt}`);
}
