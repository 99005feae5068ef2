// Owns the checkpoint of a run: everything the kernel needs to know what comes next, and nothing more.
//
// K1. The checkpoint is bounded by live work: it does not grow with history or with the size of the definition.
// K2. Work is addressed by path (`step#visit`, `group#visit/key`), never by sequence; an attempt's key is
//     run/path/attempt, so that an executor can recognise a duplicate.
// K3. A final run ignores further inputs, and says so in its log.

import { deriveRunId } from '../base/id.ts';
import type { Signature } from '../base/signature.ts';
import type { Budget } from '../definition/budget.ts';
import type { JoinModel, StepKind } from '../definition/model.ts';
import type { OutcomeName } from '../definition/outcome.ts';

/** The address of an activation: `step#visit`, or `group#visit/key` for a member of a group. */
export type Path = string;

/** A value that is kept beside the checkpoint, by content. */
export interface Ref {
  readonly digest: string;
  readonly bytes: number;
}

/** The states of a run as users see them. `overridden` is completed after a person let something pass by hand. */
export type RunStatus = 'pending' | 'running' | 'waiting' | 'completed' | 'overridden' | 'failed' | 'escalated' | 'rejected' | 'cancelled';

/** What a run needs from outside before it can go on. */
export type WaitKind =
  | 'human'
  | 'report'
  | 'answer'
  | 'child'
  | 'signal'
  | 'forge'
  | 'capacity'
  | 'budget'
  | 'pause'
  | 'delay'
  | 'escalation'
  | 'unknown';

/** What a person chose. */
export interface Decision {
  readonly option: string;
  readonly actor: string;
  readonly text?: string;
  /** The decision as a value. */
  readonly output?: Ref;
  readonly signature?: Signature;
}

/** What a person said to the run: with a choice at a question, or as a note with which they sent it on. */
export interface PersonSaid {
  readonly by: 'choice' | 'note';
  readonly actor: string;
  /** Where: the question, or the step that the run stood at. */
  readonly path: Path;
  /** choice: the option. */
  readonly option?: string;
  readonly text: string;
}

/** One thing a live activation waits for; its due time is in the activation. */
export interface Wait {
  readonly kind: 'human' | 'report' | 'answer' | 'child' | 'signal' | 'delay' | 'forge' | 'fix' | 'capacity' | 'budget';
  /** human: the digest of everything shown; a decision must name it. Absent until what it is about was looked at. */
  readonly digest?: string;
  /** human: the digest of the question alone, where it is about things outside. */
  readonly question?: string;
  /** human: the things outside as they were when the question was put. */
  readonly subjects?: Ref;
  /** human: how often it was put anew, because they changed or because people chose differently. */
  readonly round?: number;
  /** human: decisions that count once the things outside were looked at again. */
  readonly decided?: readonly Decision[];
  /** human: who has chosen what so far, where it takes several people. */
  readonly votes?: readonly { readonly option: string; readonly actor: string }[];
  /** human: how often the people it takes chose different ways on, and who chose what the last time; that is void. */
  readonly split?: { readonly times: number; readonly votes: readonly { readonly option: string; readonly actor: string }[] };
  /** human: it takes a signature, whatever the run asks for elsewhere. */
  readonly signed?: true;
  /** human: the values shown. */
  readonly shown?: Ref;
  /** human: the question itself, where no stored definition holds it as it was put: in a flow, or with templates filled in. */
  readonly gate?: Ref;
  /** report: what the worker was told. */
  readonly handover?: Ref;
  /** answer: what the worker asks. */
  readonly questions?: Ref;
  /** signal: its name. */
  readonly name?: string;
  /** child: its run id. */
  readonly child?: string;
  /** delay: why it waits. */
  readonly reason?: 'retry' | 'delay' | 'poll';
  /** delay with poll: when the whole delay ends. */
  readonly until?: number;
}

/** The states of a live activation. A settled one is a row of history, not part of the checkpoint. */
export type ActivationState = 'queued' | 'preparing' | 'running' | 'waiting' | 'verifying' | 'unknown';

/** One visit of a step that has not settled yet. */
export interface Activation {
  readonly path: Path;
  readonly step: string;
  readonly kind: StepKind;
  readonly state: ActivationState;
  /** Counts from 1 over the whole life of the path; a crash re-run keeps it, a retry has the next. */
  readonly attempt: number;
  /** The attempt the present retry budget began with. */
  readonly since: number;
  /** How often a crash interrupted the present attempt. */
  readonly recovery: number;
  readonly openedAt: number;
  /** When the present attempt began to work. */
  readonly startedAt?: number;
  /** When the present state ends by itself. */
  readonly due?: number;
  /** When a wait or a group as a whole times out. */
  readonly deadline?: number;
  readonly wait?: Wait;
  /** What the work brought, while a verification or a person still stands between it and the end. */
  readonly held?: { readonly outcome: OutcomeName; readonly output?: Ref; readonly choice?: string };
  /** How often its time was extended. */
  readonly extensions?: number;
  /** How many attempts since the budget began broke the contract; they have a budget of their own. */
  readonly broken?: number;
  /** What was wrong with the last attempt; handed to the next one. */
  readonly feedback?: string;
  /** Questions of its workers that a person answered, oldest first; handed to every later attempt. */
  readonly answers?: readonly Ref[];
  /** What it is compared with afterwards is on record. */
  readonly based?: true;
  /** Its work is handed out: until it is, nothing has happened. */
  readonly handsOut?: true;
  /** The group this is a member of, its key there, and its position. */
  readonly group?: Path;
  readonly key?: string;
  readonly index?: number;
  /** Semaphores wanted (queued) or held (working). */
  readonly slots?: readonly string[];
  /** flow: digest of what was yielded, compared on replay. */
  readonly input?: string;
}

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
  readonly items?: Ref;
  /** Members that a person sent back to work and that have not begun yet. */
  readonly again?: readonly { readonly key: string; readonly index: number; readonly attempt: number }[];
}

/** Why a run stands still until somebody resumes it. */
export interface Halt {
  readonly reason: 'contract' | 'error' | 'unmapped' | 'exhausted' | 'target' | 'condition' | 'recovery' | 'nondeterminism' | 'uncaught';
  readonly path?: Path;
  readonly step?: string;
  readonly outcome?: OutcomeName;
  readonly message: string;
  readonly code?: string;
  /** What it takes to take the activation up again: its last attempt, its yield's digest, its group's books. */
  readonly attempt?: number;
  readonly input?: string;
  readonly group?: Group;
  /** exhausted: the edge whose bound is used up, and where it leads. */
  readonly edge?: string;
  readonly to?: string;
}

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
  /** What people said and no agent has worked with yet, oldest first. */
  readonly said?: readonly PersonSaid[];
  /** The last decision of a person. */
  readonly decision?: { readonly gate: string; readonly option: string; readonly input?: string; readonly actor: string };
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

/** True while an activation holds a process, a check or a child in this state. */
export function isWorking(activation: Activation): boolean {
  return activation.state === 'running' || activation.state === 'preparing' || activation.state === 'verifying';
}

/** True when a group has members to open and room for them. */
export function hasRoom(group: Group): boolean {
  const waiting = group.queued + (group.again?.length ?? 0);
  const active = group.total - waiting - group.ok - group.reject - group.fail - group.skip;
  return waiting > 0 && active < group.limit;
}

/** The steps at a path whose end is unknown: the one that is there or, of a group, its members. */
export function unknownAt(run: RunState, path: Path): readonly Activation[] {
  return Object.values(run.live).filter((live) => live.state === 'unknown' && (live.path === path || live.group === path));
}

/** The nearest absolute time at which the run must be looked at again. */
export function dueOf(run: RunState): number | undefined {
  let nearest: number | undefined;
  for (const path in run.live) {
    const { due, deadline } = run.live[path] as Activation;
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

/** The branch of a run that works in a worktree of its own. */
export interface WorkHead {
  /** The branch in the worktree. */
  readonly local: string;
  /** The branch at the forge that its commits are pushed to. */
  readonly branch: string;
  /** The commit it began with. */
  readonly from: string;
  /** The pull request that the run works on. */
  readonly pr?: number;
  /** The head of that pull request is in a fork, which nothing can be pushed to. */
  readonly fork?: true;
}
