// Owns the checkpoint of a run: everything the kernel needs to know what comes next, and nothing more.
//
// K1. The checkpoint is bounded by live work: it does not grow with history or with the size of the definition.
// K2. Work is addressed by path (`step#visit`, `group#visit/key`), never by sequence; an attempt's key is
//     run/path/attempt, so that an executor can recognise a duplicate.
// K3. A final run ignores further inputs, and says so in its log.

import { deriveRunId } from '../base/id.ts';
import type { Budget } from '../definition/budget.ts';
import type { JoinModel } from '../definition/model.ts';
import type { OutcomeName } from '../definition/outcome.ts';
import { type Activation, dueTimeOf, type Path, type Ref } from './activation.ts';
import type { Setback } from './setback.ts';

/** The states of a run as users see them. `overridden` is completed after a person let something pass by hand. */
export type RunStatus = 'pending' | 'running' | 'waiting' | 'completed' | 'overridden' | 'failed' | 'escalated' | 'rejected' | 'cancelled';

/** What a run needs from outside before it can go on. */
export type WaitKind =
  | 'human'
  | 'report'
  | 'answer'
  | 'child'
  | 'signal'
  | 'checks'
  | 'capacity'
  | 'budget'
  | 'pause'
  | 'delay'
  | 'escalation'
  | 'unknown';

/** What a person wrote to the run: with a choice at a question, or as a note when they resumed it. */
export type PersonNote =
  | { readonly by: 'choice'; readonly actor: string; readonly path: Path; readonly option: string; readonly text: string }
  | { readonly by: 'note'; readonly actor: string; readonly path: Path; readonly text: string };

/** A group of branches or items: counters, so that a join costs the same however many have settled. */
export interface Group {
  readonly total: number;
  /** Members that are not open yet; they open in order. */
  readonly queued: number;
  readonly ok: number;
  readonly reject: number;
  readonly fail: number;
  readonly skip: number;
  readonly join: JoinModel;
  readonly limit: number;
  /** each: the items, frozen when the group opened. */
  readonly items?: Ref | undefined;
  /** Members that a person sent back to work and that have not begun yet. */
  readonly again?: readonly { readonly key: string; readonly index: number; readonly attempt: number }[] | undefined;
}

/** Why a run stops. `exhausted` names the edge whose bound is used up, and where it leads. */
export type HaltCause =
  | {
      readonly reason: 'contract' | 'error' | 'unmapped' | 'target' | 'condition' | 'uncaught';
      readonly message: string;
      readonly code?: string | undefined;
    }
  | { readonly reason: 'exhausted'; readonly message: string; readonly edge: string; readonly to: string; readonly code?: undefined };

/** The step that a run stopped at, with what it takes to take it up again. */
export interface HaltedStep {
  readonly path: Path;
  readonly step: string;
  readonly outcome: OutcomeName;
  /** Its last attempt. */
  readonly attempt: number;
  /** flow: digest of what was yielded. */
  readonly input?: string | undefined;
  /** Its counters, if it is a group. */
  readonly group?: Group | undefined;
}

/** Why a run stands still until somebody resumes it, and at which step; a flow can also fail between its steps. */
export type Halt = HaltCause & (HaltedStep | { readonly [K in keyof HaltedStep]?: undefined });

/** The way of a run that begins behind questions: each is asked again before the run goes on where it was to begin. */
export interface Detour {
  readonly asks: readonly DetourQuestion[];
  /** The step at which the run goes on after the last of them. */
  readonly to: string;
}

/** A question on a detour. An answer that leads to one of the steps in `on` goes on along the detour, another one leaves it. */
export interface DetourQuestion {
  readonly step: string;
  readonly on: readonly string[];
}

/** The checkpoint. */
export interface RunState {
  readonly id: string;
  readonly workflow: string;
  /** Hash of the definition this run is frozen to. */
  readonly def: string;
  readonly form: 'graph' | 'flow';
  /** Numbered changes of meaning that this run was started with. */
  readonly flags: readonly number[];
  readonly status: RunStatus;
  /** How many event rows are committed. */
  readonly seq: number;
  readonly createdAt: number;
  /** Time of the last event. */
  readonly at: number;
  readonly params?: Ref;
  readonly parent?: { readonly run: string; readonly path: Path };
  readonly depth: number;
  /** Whatever a person decides about this run takes their signature. */
  readonly signed?: true;
  readonly live: Readonly<Record<Path, Activation>>;
  readonly groups: Readonly<Record<Path, Group>>;
  /** Visits of steps on cycles (`step`) and uses of bounded edges (`step:outcome`, `step:outcome:true` for a choice). */
  readonly counts: Readonly<Record<string, number>>;
  /** Bounds that a person extended, by edge. */
  readonly extended: Readonly<Record<string, number>>;
  /** Signals that came before anything waited for them, oldest first. */
  readonly signals: Readonly<Record<string, readonly (Ref | null)[]>>;
  readonly paused: boolean;
  /** What a person let it use beyond its budgets, in all. */
  readonly granted?: Budget;
  /** A person let something pass by hand: the run ends `overridden` instead of `completed`. The log tells what and who. */
  readonly overridden?: true;
  /** Questions that are still to be asked again before the run is where it was to begin. */
  readonly detour?: Detour;
  /** Set while a cancelled run still waits for its children to end. */
  readonly ending?: 'cancelled';
  readonly halt?: Halt;
  readonly output?: Ref;
  /** What people wrote and no agent has worked with yet, oldest first. */
  readonly notes?: readonly PersonNote[];
  /** What went wrong and no agent has worked on since, oldest first. */
  readonly setbacks?: readonly Setback[];
  /** The last decision of a person. */
  readonly decision?: { readonly gate: string; readonly option: string; readonly input?: string | undefined; readonly actor: string };
}

/** True when nothing can change the run any more. */
export function isFinal(status: RunStatus): boolean {
  return isDone(status) || status === 'rejected' || status === 'cancelled';
}

/** True when the run ended well, with or without something that a person let pass by hand. */
export function isDone(status: RunStatus): boolean {
  return status === 'completed' || status === 'overridden';
}

/** True when the run stands still until somebody resumes it. */
export function isHalted(status: RunStatus): boolean {
  return status === 'failed' || status === 'escalated';
}

/** True when the run has ended one way or the other, for whoever drives it. */
export function isSettled(status: RunStatus): boolean {
  return isFinal(status) || isHalted(status);
}

/** True while nothing new may start in the run: it is paused, halted, or being cancelled. */
export function standsStill(run: RunState): boolean {
  return run.paused || run.halt !== undefined || run.ending !== undefined;
}

/** True when a group has members to open and room for them. */
export function hasRoom(group: Group): boolean {
  return group.queued + (group.again?.length ?? 0) > 0 && activeIn(group) < group.limit;
}

/** How many members of a group have begun and not settled. */
export function activeIn({ total, queued, again = [], ok, reject, fail, skip }: Group): number {
  return total - queued - again.length - ok - reject - fail - skip;
}

/** The steps at a path whose end is unknown: the one that is there or, of a group, its members. */
export function unknownAt(run: RunState, path: Path): readonly Activation[] {
  return Object.values(run.live).filter((live) => live.state === 'unknown' && (live.path === path || live.member?.group === path));
}

/** The nearest absolute time at which the run must be looked at again. */
export function dueOf(run: RunState): number | undefined {
  let nearest: number | undefined;
  for (const activation of Object.values(run.live)) {
    const due = dueTimeOf(activation);
    const { deadline } = activation;
    if (due !== undefined && (nearest === undefined || due < nearest)) nearest = due;
    if (deadline !== undefined && (nearest === undefined || deadline < nearest)) nearest = deadline;
  }
  return nearest;
}

/** A path's step id and visit; a member's path names its group first. */
export function createPath(step: string, visit: number): Path {
  return `${step}#${visit}`;
}

/** The path of a member of a group. */
export function createMemberPath(group: Path, key: string): Path {
  return `${group}/${key}`;
}

/** The id of the run that an attempt starts: the same however often it is started. */
export function childIdOf(run: string, { path, attempt }: Pick<Activation, 'path' | 'attempt'>): string {
  return deriveRunId(run, `${path}/${attempt}`);
}
