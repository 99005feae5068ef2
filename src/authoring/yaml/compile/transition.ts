// Owns the transitions of stages: the edge for each key of a stage, the steps on it, and its limit.

import { omitUndefined } from '../../../base/fields.ts';
import type { JsonObject } from '../../../base/json.ts';
import { didYouMean } from '../../../base/suggest.ts';
import { addedName } from '../../../definition/address.ts';
import type { Severity } from '../../../definition/validation/finding.ts';
import type { Problem } from '../../../definition/validation/problem.ts';
import type { Entries, StepFields } from '../../graph/spec.ts';
import type { BoundedNext } from '../../spec/part.ts';
import type { YamlPath } from '../position/position.ts';
import type { YamlNotify, YamlStage } from '../schema/form.ts';
import type { YamlWorkflow } from '../schema/schema.ts';
import { notifyOf } from './forge.ts';
import { branchesOf } from './part.ts';

/** A problem of the graph, with its path in the file. */
export interface CompileProblem extends Problem {
  readonly path: YamlPath;
  readonly severity: Severity;
}

/** The transition keys of a stage. */
export const TRANSITION_KEYS = [
  'on_complete',
  'on_success',
  'on_pass',
  'on_fail',
  'on_failure',
  'on_reject',
  'on_any_reject',
  'on_all_reject',
  'on_conflict',
  'on_ci_failure',
  'on_error',
  'on_timeout',
  'skip_to',
] as const;

/** A transition key; kinds of an application have one for each of their outcomes. */
export type TransitionKey = (typeof TRANSITION_KEYS)[number] | `on_${string}`;

/** The keys of a stage that are transitions. */
export function transitionKeysOf(stage: object): TransitionKey[] {
  const own = Object.keys(stage).filter((key): key is `on_${string}` => key.startsWith('on_') && key !== 'on_enter');
  return [...new Set<TransitionKey>([...TRANSITION_KEYS.filter((key) => key in stage), ...own])];
}

/**
 * A transition that is more than a target. In this order: `retry` tries the stage again; `extend` waits longer; `notify`
 * sends a message; `spawn` has an agent work; `delay` waits; `context` is added to the run's data; then it goes to `goto`,
 * or to `then` where there is no `goto`. When `max_iterations`, `retry` or `extend` is used up, it goes to `then`.
 */
export interface YamlTransition {
  readonly goto?: string | undefined;
  readonly then?: string | undefined;
  readonly max_iterations?: number | undefined;
  readonly context?: Readonly<Record<string, unknown>> | undefined;
  readonly delay?: string | undefined;
  readonly spawn?: string | undefined;
  readonly notify?: YamlNotify | undefined;
  readonly retry?: number | undefined;
  readonly backoff?: { readonly initial: string; readonly factor?: number | undefined; readonly max?: string | undefined } | undefined;
  readonly extend?: string | undefined;
  readonly max_extensions?: number | undefined;
}

const ENDS: readonly string[] = ['complete', 'fail', 'escalate'];
/** All outcomes of a notification: the run continues the same way, whether it was sent or not. */
const WHATEVER_HAPPENS = ['ok', 'skip', '_default', 'error', 'timeout'] as const;

/** Every outcome leads to the same target. */
export function always(to: string): Readonly<Record<string, string>> {
  return Object.fromEntries(WHATEVER_HAPPENS.map((outcome) => [outcome, to]));
}

/** The transition of a stage under a key, if it has one; a target alone is a transition that goes there. */
export function transitionOf(stage: YamlStage, key: TransitionKey): YamlTransition | undefined {
  const transition = (stage as Readonly<Partial<Record<TransitionKey, string | YamlTransition>>>)[key];
  return typeof transition === 'string' ? { goto: transition } : transition;
}

/** A step by its id. */
export type StepEntry = Entries<StepFields>[number];

/** The transitions of one workflow file, and the steps on them. */
export class Transitions {
  readonly added: StepEntry[] = [];
  readonly problems: CompileProblem[] = [];
  /** The bound of backward transitions without one of their own. */
  readonly maxIterations: number;
  private readonly file: YamlWorkflow;
  private readonly positions: ReadonlyMap<string, number>;

  constructor(file: YamlWorkflow, maxIterations: number) {
    this.file = file;
    this.maxIterations = maxIterations;
    this.positions = new Map(file.stages.map(({ id }, index) => [id, index]));
  }

  /** The step or end that a name leads to: a stage begins with its notification, completion with its hooks. */
  target(name: string): string {
    if (name === 'complete' && (this.file.on_complete ?? []).length > 0) return 'on_complete.1';
    const stage = this.file.stages[this.positions.get(name) ?? -1];
    return stage?.on_enter === undefined ? name : addedName(name, 'enter');
  }

  /** The target after a position in the file. */
  after(index: number): string {
    return this.target(this.file.stages[index + 1]?.id ?? 'complete');
  }

  /** The edge of a stage's transition under a key, if it has one. */
  edge(index: number, key: TransitionKey): BoundedNext | undefined {
    const stage = this.file.stages[index] as YamlStage;
    const transition = transitionOf(stage, key);
    if (transition === undefined) return undefined;
    const path = ['stages', index, key];
    const { goto, then, context = {} } = transition;
    const isBare = typeof (stage as Readonly<Record<string, unknown>>)[key] === 'string';
    if (goto !== undefined) this.check(stage.id, goto, isBare ? path : [...path, 'goto']);
    if (then !== undefined) this.check(stage.id, then, [...path, 'then']);
    const name = goto ?? then ?? 'escalate';
    const data = Object.keys(context).length === 0 ? {} : { context: context as JsonObject };
    const bound = this.boundOf(transition, { name, from: stage.id, path });
    return { to: this.through({ stage: stage.id, key }, transition, this.target(name)), ...bound, ...data };
  }

  /** Reports a target that does not exist, at its position. */
  check(step: string, name: string, path: YamlPath): void {
    if (this.positions.has(name) || ENDS.includes(name)) return;
    const group = this.file.stages.find((stage) => branchesOf(stage).some(({ id }) => id === name));
    const problem: Pick<Problem, 'code' | 'message' | 'hint'> =
      group === undefined
        ? {
            code: 'TARGET_UNKNOWN',
            message: `there is no stage "${name}"${didYouMean(name, [...this.positions.keys(), ...ENDS])}`,
            hint: `name a stage, or one of ${ENDS.join(', ')}`,
          }
        : {
            code: 'TARGET_IN_BRANCH',
            message: `"${name}" is a branch of "${group.id}"`,
            hint: `a branch starts with its stage; name "${group.id}"`,
          };
    this.problems.push({ ...problem, step, path, severity: 'error' });
  }

  private boundOf(
    { goto, max_iterations: max, then, retry, extend }: YamlTransition,
    { name, from, path }: { readonly name: string; readonly from: string; readonly path: YamlPath },
  ): Pick<BoundedNext, 'maxIterations' | 'onExhausted'> {
    if (max !== undefined) return { maxIterations: max, onExhausted: then === undefined ? 'escalate' : this.target(then) };
    const target = this.positions.get(name);
    const isUsedUp = retry !== undefined || extend !== undefined;
    if (isUsedUp || target === undefined || target > (this.positions.get(from) ?? 0)) return {};
    this.problems.push({
      step: from,
      code: 'LOOP_UNBOUNDED',
      severity: 'warning',
      message: `the loop from "${from}" to "${name}" has no limit; after ${this.maxIterations} iterations the run escalates`,
      // Only a transition with goto can have its own limit.
      hint: goto === undefined ? 'set limits: { max_iterations: 3 } for the workflow' : 'write max_iterations and then',
      path,
    });
    return { maxIterations: this.maxIterations, onExhausted: 'escalate' };
  }

  /** Adds the steps on a transition before its target, last one first. */
  private through(
    { stage, key }: { readonly stage: string; readonly key: string },
    { delay, spawn, notify, extend }: YamlTransition,
    target: string,
  ): string {
    let to = target;
    if (delay !== undefined) to = this.add(stage, [key, 'delay'], { delay, recovery: 'rerun', next: { ok: to } });
    // Anything but success of the agent escalates, including a rejection: it was started to repair something and did not.
    if (spawn !== undefined) to = this.add(stage, [key, 'spawn'], { agent: spawn, reviews: false, next: { ok: to, reject: 'escalate' } });
    if (notify !== undefined && extend === undefined) to = this.add(stage, [key, 'notify'], notifyStep(notify, always(to)));
    return to;
  }

  /** Adds a step for a stage and returns its id. */
  add(stage: string, purpose: readonly string[], step: StepFields): string {
    const id = addedName(stage, ...purpose);
    this.added.push([id, { ...step, templates: true, merges: false, addedFor: stage }]);
    return id;
  }
}

/** A step that sends a message, again after a crash: a message that arrives twice does no harm. */
export function notifyStep(notify: YamlNotify, next: NonNullable<StepFields['next']>): StepFields {
  return { forge: notifyOf(notify), recovery: 'rerun', templates: true, merges: false, next };
}

/** How often a stage is retried; a timeout without its own transition is an error (C2). */
export function retryOf(stage: YamlStage): StepFields['retry'] | undefined {
  const onError = transitionOf(stage, 'on_error');
  const onTimeout = transitionOf(stage, 'on_timeout') ?? onError;
  const used = onError?.retry === undefined ? onTimeout : onError;
  if (used?.retry === undefined) return undefined;
  const on = (['error', 'timeout'] as const).filter((outcome) => (outcome === 'error' ? onError : onTimeout)?.retry !== undefined);
  const { backoff } = used;
  const pause = backoff && { initial: backoff.initial, max: backoff.max ?? '10m', ...omitUndefined({ factor: backoff.factor }) };
  return { max: used.retry, on, ...omitUndefined({ backoff: pause }) };
}
