// Owns one decision while it is being made: the working copy of the checkpoint, the events so far, and the work
// that is still to be thought through. Work is a queue, not recursion, so that a thousand skipped steps or members
// cost no stack.

import type { Json } from '../base/json.ts';
import type { StepModel } from '../definition/model.ts';
import { applyTo, type Draft } from './apply.ts';
import { mergedBy, type RunEvent, type StepChanged, type StepSettled } from './event.ts';
import type { MemberResult, Program, View } from './program.ts';
import { type Activation, type Path, standsStill } from './run-state.ts';
import { TurnView } from './turn-view.ts';

/** An attempt that ended, and the activation it belonged to. */
export interface EndedAttempt {
  readonly event: StepSettled | StepChanged;
  readonly activation: Activation;
  readonly maxAttempts: number;
}

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
  private readonly work: (() => void)[] = [];

  constructor(given: { program: Program; run: Draft; view: View; at: number }) {
    this.program = given.program;
    this.run = given.run;
    this.view = given.view;
    this.at = given.at;
  }

  /** Records a fact; the working copy changes with it. */
  emit(event: RunEvent): void {
    if (this.run.form === 'graph') this.noteResult(event);
    if (event.type === 'step.settled' || (event.type === 'step.changed' && event.failed !== undefined)) {
      const activation = this.run.live[event.path] as Activation;
      const { retry, contractRetries } = this.model(activation);
      this.ended.push({ event, activation, maxAttempts: 1 + Math.max(retry.max, contractRetries) });
    }
    applyTo(this.run, event);
    this.events.push(event);
  }

  /** Puts off a piece of thought until the present one is complete. */
  later(thought: () => void): void {
    this.work.push(thought);
  }

  /** Thinks everything through that was put off. */
  finish(): void {
    for (let next = 0; next < this.work.length; next += 1) this.work[next]?.();
    this.work.length = 0;
  }

  /** The live activation at a path. */
  activation(path: Path): Activation | undefined {
    return this.run.live[path];
  }

  /** The data of an activation's step. */
  model(activation: Activation): StepModel {
    return this.program.model(activation.step);
  }

  /** How the members of a group ended, those of this decision included, in the order of their positions. */
  members(group: Path): readonly MemberResult[] {
    const latest = new Map<string, MemberResult>();
    for (const member of this.view.members(group)) latest.set(member.key, member);
    for (const { event, activation } of this.ended) {
      if (event.type !== 'step.settled' || activation.group !== group) continue;
      const output = event.output === undefined ? null : this.view.value(event.output);
      latest.set(activation.key ?? '', memberResult(event, activation, output));
    }
    return [...latest.values()].sort((a, b) => a.index - b.index);
  }

  /** True while nothing new may start. */
  get holds(): boolean {
    return this.view.holding || standsStill(this.run);
  }

  private noteResult(event: RunEvent): void {
    const merged = mergedBy(event);
    if (merged !== undefined) this.ownView().noteData(merged);
    const activation = event.type === 'step.settled' ? this.run.live[event.path] : undefined;
    if (event.type !== 'step.settled' || activation === undefined || activation.group !== undefined) return;
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
export function memberResult(event: StepSettled, activation: Activation, output: Json): MemberResult {
  const { path, attempt, outcome, error } = event;
  const ended = { path, key: activation.key ?? '', index: activation.index ?? 0, attempt, outcome, output };
  return error === undefined ? ended : { ...ended, error };
}

/** Whether a step that settled so has a result that later steps can read. */
export function hasResult(outcome: string): boolean {
  return outcome !== 'error' && outcome !== 'timeout' && outcome !== 'cancelled' && outcome !== 'skip';
}
