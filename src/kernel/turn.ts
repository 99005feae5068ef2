// Owns one decision while it is being made: the working copy of the checkpoint, the events so far, and what is still to
// be done. That is a queue of plain data, not recursion: a thousand skipped steps or members cost no stack, and no file
// of the kernel has to import the one that acts on it.

import { invariant } from '../base/invariant.ts';
import type { Json } from '../base/json.ts';
import type { HumanGateModel, StepModel } from '../definition/model.ts';
import type { OutcomeName } from '../definition/outcome.ts';
import type { ScopeInput } from '../definition/scope.ts';
import type { Activation, Membership, Path, Ref } from './activation.ts';
import { apply, type Draft } from './apply.ts';
import { type InputIgnored, mergedBy, type RunChange, type RunEvent, type StepChanged, type StepSettled } from './event.ts';
import type { StepError } from './input.ts';
import type { MemberResult, Program, View } from './program.ts';
import { type Group, standsStill } from './run-state.ts';
import { TurnView } from './turn-view.ts';

/** An attempt that ended, and the activation it belonged to. */
export interface EndedAttempt {
  readonly event: StepSettled | StepChanged;
  readonly activation: Activation;
  readonly maxAttempts: number;
}

/** Which step to open, and for a member, where. */
export interface Opening {
  readonly step: string;
  /** flow: digest of what was yielded. */
  readonly input?: string | undefined;
  readonly member?: Membership | undefined;
}

/** How some work ended. */
export interface Result {
  readonly outcome: OutcomeName;
  readonly output?: Ref | undefined;
  readonly error?: StepError | undefined;
  readonly choice?: string | undefined;
  readonly actor?: string | undefined;
  /** parallel and each: every member that was not skipped rejected. */
  readonly allRejected?: boolean | undefined;
}

/** Something that is still to be done in a decision. */
export type Todo =
  | { readonly do: 'open'; readonly opening: Opening }
  /** Act on what follows at once from an activation that has just begun to wait. */
  | { readonly do: 'begin'; readonly path: Path }
  | { readonly do: 'conclude'; readonly path: Path; readonly result: Result }
  /** Settle a group, or open more of its members. */
  | { readonly do: 'advance'; readonly path: Path };

/** One decision in the making. */
export class Turn {
  readonly program: Program;
  readonly run: Draft;
  /** What the host loaded, and on top of it what this decision has settled. */
  view: View;
  readonly at: number;
  readonly events: RunEvent[] = [];
  /** The activations whose attempts ended in this decision, as they were then. */
  readonly ended: EndedAttempt[] = [];
  private readonly todos: Todo[] = [];

  constructor(given: { program: Program; run: Draft; view: View; at: number }) {
    this.program = given.program;
    this.run = given.run;
    this.view = given.view;
    this.at = given.at;
  }

  /** Records a fact; the working copy changes with it. */
  emit(event: RunEvent): void {
    if (this.run.form === 'graph') this.noteResult(event);
    if (event.type === 'step.settled') this.noteEnd(event, event.path);
    if (event.type === 'step.changed' && event.failed !== undefined) this.noteEnd(event, event.activation.path);
    apply(this.run, event);
    this.events.push(event);
  }

  /** Records that an activation is now as given. */
  change(activation: Activation, more: Omit<StepChanged, 'type' | 'at' | 'activation'> = {}): void {
    this.emit({ type: 'step.changed', at: this.at, activation, ...more });
  }

  /** Records that the run as a whole changed, and who did it. */
  changeRun(change: RunChange, actor?: string): void {
    this.emit({ type: 'run.changed', at: this.at, ...change, ...(actor === undefined ? {} : { actor }) });
  }

  /** Records that an input changed nothing, and why. */
  ignore(what: Pick<InputIgnored, 'input' | 'path' | 'attempt'>, reason: InputIgnored['reason']): void {
    this.emit({ type: 'input.ignored', at: this.at, ...what, reason });
  }

  /** Puts something off until the present step of the decision is complete. */
  later(todo: Todo): void {
    this.todos.push(todo);
  }

  /** Does everything that was put off, in order. */
  finish(perform: (turn: Turn, todo: Todo) => void): void {
    // What is put off meanwhile is done in the same loop.
    for (const todo of this.todos) perform(this, todo);
    this.todos.length = 0;
  }

  /** The live activation at a path. */
  activation(path: Path): Activation | undefined {
    return this.run.live[path];
  }

  /** The live activation at a path that is known to have one. */
  live(path: Path): Activation {
    const activation = this.run.live[path];
    invariant(activation !== undefined, 'K2: what changes or settles is live', path);
    return activation;
  }

  /** The group at a path that is known to have one. */
  group(path: Path): Group {
    const group = this.run.groups[path];
    invariant(group !== undefined, 'N1: an open group has counters', path);
    return group;
  }

  /** The question of an activation that is known to ask one. */
  question(activation: { readonly step: string }): HumanGateModel {
    const { gate } = this.model(activation);
    invariant(gate !== undefined, 'K8: a person is asked only what the step says', activation.step);
    return gate;
  }

  /** The data of an activation's step. */
  model(activation: { readonly step: string }): StepModel {
    return this.program.model(activation.step);
  }

  /** When a step that begins now runs out of time. */
  deadline({ timeoutMs }: Pick<StepModel, 'timeoutMs'>): number | undefined {
    return timeoutMs === undefined ? undefined : this.at + timeoutMs;
  }

  /** What the expressions of a step can read. */
  scope(step: string): ScopeInput {
    return { run: this.run, view: this.view, names: this.program.outputNames, step };
  }

  /** Ends an activation that is no longer needed; no group counts it. */
  cutOff({ path, attempt }: Activation, actor?: string): void {
    this.emit({ type: 'step.settled', at: this.at, path, attempt, outcome: 'cancelled', ...(actor === undefined ? {} : { actor }) });
  }

  /** How the members of a group ended, those of this decision included, in the order of their positions. */
  members(group: Path): readonly MemberResult[] {
    const latest = new Map<string, MemberResult>();
    for (const member of this.view.members(group)) latest.set(member.key, member);
    for (const { event, activation } of this.ended) {
      if (event.type !== 'step.settled' || activation.member?.group !== group) continue;
      const output = event.output === undefined ? null : this.view.value(event.output);
      latest.set(activation.member.key, memberResult(event, activation.member, output));
    }
    return [...latest.values()].sort((a, b) => a.index - b.index);
  }

  /** True while nothing new may start. */
  get holds(): boolean {
    return this.view.holding || standsStill(this.run);
  }

  private noteEnd(event: EndedAttempt['event'], path: Path): void {
    const activation = this.live(path);
    const { retry, contractRetries } = this.model(activation);
    this.ended.push({ event, activation, maxAttempts: 1 + Math.max(retry.max, contractRetries) });
  }

  private noteResult(event: RunEvent): void {
    const merged = mergedBy(event);
    if (merged !== undefined) this.ownView().noteData(merged);
    const activation = event.type === 'step.settled' ? this.run.live[event.path] : undefined;
    if (event.type !== 'step.settled' || activation === undefined || activation.member !== undefined) return;
    if (hasResult(event.outcome)) this.ownView().noteResult(activation.step, event.output);
  }

  private ownView(): TurnView {
    if (this.view instanceof TurnView) return this.view;
    const view = new TurnView(this.view);
    this.view = view;
    return view;
  }
}

/** How a member of a group ended. */
export function memberResult(event: StepSettled, { key, index }: Membership, output: Json): MemberResult {
  const { path, attempt, outcome, error } = event;
  return { path, key, index, attempt, outcome, output, error };
}

/** Whether a step that settled so has a result that later steps can read. */
export function hasResult(outcome: string): boolean {
  return outcome !== 'error' && outcome !== 'timeout' && outcome !== 'cancelled' && outcome !== 'skip';
}
