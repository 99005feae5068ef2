// Owns one decision while it is being made: the working copy of the checkpoint, the events so far, and the remaining
// tasks. Those are a queue of plain data, not recursion: a thousand skipped steps or members use no stack, and no file
// of the kernel has to import the one that performs them.

import { invariant } from '../base/invariant.ts';
import type { Json } from '../base/json.ts';
import { JUMPS } from '../definition/count-key.ts';
import type { Group } from '../definition/group/join.ts';
import type { ApprovalModel, StepModel } from '../definition/model.ts';
import type { ScopeInput } from '../definition/scope/scope.ts';
import type { Activation, Membership, Path, Visit } from './activation.ts';
import { apply, type Draft } from './apply.ts';
import { DecisionFacts } from './decision-facts.ts';
import type { ChangeOf, EventOf, Events, RunChange, RunEvent } from './event.ts';
import type { Facts, MemberResult, Program, Result, View } from './program.ts';
import { isHeldBack } from './run-state.ts';

/** An attempt that ended, and the activation it belonged to. */
export interface EndedAttempt {
  readonly event: EventOf<'step.settled' | 'step.changed'>;
  readonly activation: Activation;
  readonly maxAttempts: number;
}

/** Which step to open and, for a member, where. */
export type Opening = Pick<Visit, 'step' | 'input' | 'member'>;

/** A remaining task of a decision. */
export type Todo =
  | { readonly do: 'open'; readonly opening: Opening }
  | { readonly do: 'conclude'; readonly path: Path; readonly result: Result }
  /** `begin`: act on a wait that has just begun. `advance`: settle a group, or open more of its members. */
  | { readonly do: 'begin' | 'advance'; readonly path: Path };

/** What a decision reads besides the checkpoint: the order of steps, and what the host loaded. */
export type DecisionContext = Pick<Turn, 'program' | 'view'>;

/** One decision in the making. */
export class Turn {
  readonly program: Program;
  readonly run: Draft;
  readonly view: View;
  /** What programs and expressions read: what the host loaded, overlaid in a graph with what this decision has settled. */
  readonly facts: Facts;
  readonly at: number;
  readonly events: RunEvent[] = [];
  /** The activations whose attempts ended in this decision, as they were then. */
  readonly ended: EndedAttempt[] = [];
  private todos: Todo[] = [];

  constructor({ program, view }: DecisionContext, run: Draft, at: number) {
    this.program = program;
    this.run = run;
    this.view = view;
    this.facts = run.form === 'graph' ? new DecisionFacts(view) : view;
    this.at = at;
  }

  /** Records an event and applies it to the working copy. */
  emit(event: RunEvent): void {
    if (this.facts instanceof DecisionFacts) this.facts.note(event, this.run.live);
    if (event.type === 'step.settled') this.noteEnd(event, event.path);
    if (event.type === 'step.changed' && event.failed !== undefined) this.noteEnd(event, event.activation.path);
    apply(this.run, event);
    this.events.push(event);
  }

  private noteEnd(event: EndedAttempt['event'], path: Path): void {
    const activation = this.live(path);
    const { retry, contractRetries } = this.model(activation);
    this.ended.push({ event, activation, maxAttempts: 1 + Math.max(retry.max, contractRetries) });
  }

  change(activation: Activation, more: Omit<Events['step.changed'], 'activation'> = {}): void {
    this.emit({ type: 'step.changed', at: this.at, activation, ...more });
  }

  changeRun(change: RunChange, actor?: string): void {
    this.emit({ type: 'run.changed', at: this.at, ...change, ...(actor === undefined ? {} : { actor }) });
  }

  ignore(what: Omit<Events['input.ignored'], 'reason'>, reason: Events['input.ignored']['reason']): void {
    this.emit({ type: 'input.ignored', at: this.at, ...what, reason });
  }

  /** Jumps to a step and ends a detour; everything that opens from now on has new paths. */
  jumpTo(step: string): void {
    if (this.run.detour !== undefined) this.changeRun({ change: 'detoured', detour: null });
    this.emit({ type: 'edge.taken', at: this.at, outcome: 'goto', to: step, key: JUMPS });
  }

  /** Ends an activation that is no longer needed, without counting it in its group. */
  cutOff({ path, attempt }: Activation, actor?: string): void {
    this.emit({ type: 'step.settled', at: this.at, path, attempt, outcome: 'cancelled', ...(actor === undefined ? {} : { actor }) });
  }

  /** Defers a task until the current one is complete. */
  later(todo: Todo): void {
    this.todos.push(todo);
  }

  /** Performs all deferred tasks, in order. */
  finish(perform: (turn: Turn, todo: Todo) => void): void {
    // Tasks that are deferred meanwhile are performed in the same loop.
    for (const todo of this.todos) perform(this, todo);
    this.todos = [];
  }

  /** The activation at a path; throws if there is none. */
  live(path: Path): Activation {
    const activation = this.run.live[path];
    invariant(activation !== undefined, 'K2: what changes or settles is live', path);
    return activation;
  }

  /** The group at a path; throws if there is none. */
  group(path: Path): Group {
    const group = this.run.groups[path];
    invariant(group !== undefined, 'an open group has counters', path);
    return group;
  }

  /** The question of an activation; throws if its step asks none. */
  question(activation: { readonly step: string }): ApprovalModel {
    const { question } = this.model(activation);
    invariant(question !== undefined, 'a person is asked only what the step says', activation.step);
    return question;
  }

  model({ step }: { readonly step: string }): StepModel {
    return this.program.model(step);
  }

  /** When a step that begins now times out. */
  deadline({ timeoutMs }: Pick<StepModel, 'timeoutMs'>): number | undefined {
    return timeoutMs === undefined ? undefined : this.at + timeoutMs;
  }

  scope(step: string): ScopeInput {
    return { run: this.run, view: this.facts, names: this.program.outputNames, step };
  }

  /** How the members of a group ended, including those of this decision, in the order of their positions. */
  members(group: Path): readonly MemberResult[] {
    const latest = new Map(this.view.members(group).map((member) => [member.key, member]));
    for (const { event, activation } of this.ended) {
      if (event.type !== 'step.settled' || activation.member?.group !== group) continue;
      const output = event.output === undefined ? null : this.view.value(event.output);
      latest.set(activation.member.key, memberResult(event, activation.member, output));
    }
    return [...latest.values()].sort((a, b) => a.index - b.index);
  }

  /** True while this step may not start, because of the run or because the host is closing. */
  holdsBack(step: { readonly side?: true | undefined }): boolean {
    return this.view.holding || isHeldBack(this.run, step);
  }

  /** Ends or halts the run. Its work is undone first, unless it succeeded or a person must decide (K24). */
  end(ending: ChangeOf<'ended' | 'halted'>, actor?: string): void {
    const { onUndo } = this.program;
    const isBad = ending.status === 'rejected' || ending.status === 'cancelled' || ending.status === 'failed';
    if (!isBad || onUndo === undefined || this.run.undoing !== undefined) return this.changeRun(ending, actor);
    for (const activation of Object.values(this.run.live)) this.cutOff(activation, actor);
    this.changeRun({ change: 'undoing', ending }, actor);
    this.later({ do: 'open', opening: { step: onUndo } });
  }
}

/** How a member of a group ended. */
export function memberResult(event: Events['step.settled'], { key, index }: Membership, output: Json): MemberResult {
  const { path, attempt, outcome, error } = event;
  return { path, key, index, attempt, outcome, output, error };
}
