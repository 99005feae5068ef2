// Writes the transitions of a step: the keys of its stage, with the steps in between as maps.

import { writeDuration } from '../../../base/duration.ts';
import { omitUndefined } from '../../../base/fields.ts';
import type { Json, JsonObject } from '../../../base/json.ts';
import { addedName, addedPurpose } from '../../../definition/address.ts';
import type { Definition, Edge, StepModel, Target } from '../../../definition/model.ts';
import type { Compilers } from '../../graph/work.ts';
import { TRANSITION_KEYS, type TransitionKey } from '../compile/transition.ts';
import { writeNotify } from './stage.ts';
import { refusal } from './word.ts';

const SUCCESS_KEYS: readonly TransitionKey[] = ['on_complete', 'on_success', 'on_pass'];
const FAILURE_KEYS: readonly TransitionKey[] = ['on_fail', 'on_failure'];
const REJECT_KEYS: readonly TransitionKey[] = ['on_reject', 'on_any_reject'];
/** The transitions of stages whose kind an application defined, in addition to those of its outcomes. */
const OWN_KEYS: readonly TransitionKey[] = ['on_fail'];
/** What a transition can add before its target. */
const PARTS = ['delay', 'spawn', 'notify'] as const;
const ESCALATE: Edge = { to: { end: 'escalate' } };

/** Writes the transitions of the steps of one definition. */
export class TransitionWriter {
  private readonly steps: ReadonlyMap<string, StepModel>;
  /** The stages, in their order. */
  private readonly order: readonly string[];

  private readonly compilers: Compilers;

  constructor({ steps }: Definition, compilers: Compilers) {
    this.compilers = compilers;
    this.steps = new Map(steps.map((step) => [step.id, step]));
    this.order = steps.map(({ id }) => id).filter((id) => !this.isAdded(id));
  }

  /** The step of that id. */
  step(id: string): StepModel | undefined {
    return this.steps.get(id);
  }

  /** Whether a step is written as part of another stage. */
  isAdded(id: string): boolean {
    return this.entered(id) !== undefined || this.isOnTransition(id);
  }

  /** The stage that begins with a step. */
  private entered(id: string): string | undefined {
    return this.stages().find((stage) => id === addedName(stage, 'enter'));
  }

  private isOnTransition(id: string): boolean {
    return this.stages().some((stage) => {
      const [key, part, ...rest] = addedPurpose(id, stage) ?? [];
      return rest.length === 0 && PARTS.some((known) => known === part) && TRANSITION_KEYS.some((known) => known === key);
    });
  }

  private stages(): readonly string[] {
    return [...this.steps.keys()];
  }

  /** The name of a target in a file. */
  nameOf(to: Target, from: string): string {
    if ('end' in to) {
      if (to.end === 'reject')
        throw refusal(from, 'one of its transitions ends the run as rejected; in a workflow file only `on_reject` can do that');
      return to.end;
    }
    if (to.step === 'on_complete.1') return 'complete';
    return this.entered(to.step) ?? to.step;
  }

  /** The transition keys of a stage; defaults are left out. */
  write(step: StepModel): JsonObject {
    const { id, next } = step;
    const onward = this.onward(id);
    const failure = this.keyOf(step, FAILURE_KEYS);
    const error = this.edge(step, 'error') ?? ESCALATE;
    const unlike = (outcome: string): Edge | undefined => {
      const edge = this.edge(step, outcome);
      return edge === undefined || JSON.stringify(edge) === JSON.stringify(error) ? undefined : edge;
    };
    // `on_failure` covers errors too, unless `on_error` says otherwise.
    const isCovered = 'step' in error.to && addedPurpose(error.to.step, id)?.[0] === 'on_failure';
    const fail = isCovered ? error : unlike('fail');
    const edges: [TransitionKey, Edge | undefined][] = [
      [this.successKey(step), this.edge(step, 'ok') ?? this.edge(step, '_default')],
      ['skip_to', step.condition === undefined ? undefined : this.edge(step, 'skip')],
      [this.keyOf(step, REJECT_KEYS) ?? 'on_reject', isEnd(next.reject, 'reject') ? undefined : this.edge(step, 'reject')],
      ['on_all_reject', this.edge(step, 'reject_all')],
      ...(failure === undefined ? [] : [[failure, fail] satisfies [TransitionKey, Edge | undefined]]),
      ['on_conflict', unlike('conflict')],
      ['on_ci_failure', unlike('ci_failure')],
      ...('config' in step && 'outcomes' in step.config ? step.config.outcomes : []).map((own): [TransitionKey, Edge | undefined] => [
        `on_${own}`,
        unlike(own),
      ]),
    ];
    const written = edges.flatMap(([key, edge]): [string, Json][] => {
      if (edge === undefined) return [];
      const transition = this.transition(step, key, edge);
      return transition === onward && (key === 'skip_to' || key === this.successKey(step)) ? [] : [[key, transition]];
    });
    const writesOnFailure = failure === 'on_failure' && fail !== undefined;
    const onError = isCovered ? {} : this.onError(step, error, writesOnFailure);
    return { ...Object.fromEntries(written), ...onError, ...this.onTimeout(step, error) };
  }

  private onward(id: string): string {
    return this.order.slice(this.order.indexOf(id) + 1).find((next) => !/^on_(?:complete|error)\.\d+$/.test(next)) ?? 'complete';
  }

  /** Gates, actions and programs have their own success key; the id of a step on the transition shows which was used. */
  private successKey(step: StepModel): TransitionKey {
    const { id } = step;
    const written = SUCCESS_KEYS.find((key) => PARTS.some((part) => this.steps.has(addedName(id, key, part))));
    return written ?? this.keyOf(step, SUCCESS_KEYS) ?? 'on_complete';
  }

  /** Which of these keys the stages of its kind have. */
  private keyOf({ kind }: StepModel, keys: readonly TransitionKey[]): TransitionKey | undefined {
    const known: readonly string[] = this.compilers.kinds[kind].yaml?.transitions ?? OWN_KEYS;
    return keys.find((key) => known.includes(key));
  }

  private edge(step: StepModel, outcome: string): Edge | undefined {
    const edge = step.next[outcome];
    if (edge !== undefined && 'condition' in edge) throw refusal(step.id, 'an expression chooses its next step');
    return edge;
  }

  private onError(step: StepModel, error: Edge, writesOnFailure: boolean): JsonObject {
    const written = this.transition(step, 'on_error', error);
    if (step.retry.max > 0 && step.retry.on.includes('error')) return { on_error: this.retried(step, written) };
    return written === 'escalate' && !writesOnFailure ? {} : { on_error: written };
  }

  /** A timeout without its own transition follows the one for errors, and is retried like an error. */
  private onTimeout(step: StepModel, error: Edge): JsonObject {
    const { extension, retry, id } = step;
    const edge = this.edge(step, 'timeout') ?? ESCALATE;
    if (extension !== undefined) {
      const notifying = extension.onExtend === undefined ? undefined : this.steps.get(extension.onExtend);
      const notify = notifying && writeNotify(notifying);
      const then = this.nameOf(edge.to, id);
      return { on_timeout: omitUndefined({ notify, extend: writeDuration(extension.ms), max_extensions: extension.max, then }) };
    }
    const isRetried = retry.max > 0 && retry.on.includes('timeout');
    const isErrorRetried = retry.max > 0 && retry.on.includes('error');
    if (isRetried === isErrorRetried && JSON.stringify(edge) === JSON.stringify(error)) return {};
    const written = this.transition(step, 'on_timeout', edge);
    return { on_timeout: isRetried ? this.retried(step, written) : written };
  }

  private retried({ id, retry: { max, backoff } }: StepModel, then: Json): JsonObject {
    if (typeof then !== 'string') throw refusal(id, 'in a workflow file, its retry can only be followed by the name of a stage or an end');
    const growth = backoff && {
      initial: writeDuration(backoff.initialMs),
      factor: backoff.factor,
      max: writeDuration(backoff.maxMs),
    };
    return omitUndefined({ retry: max, backoff: growth, then });
  }

  private transition(step: StepModel, key: TransitionKey, edge: Edge): Json {
    const { id } = step;
    const part = ['notify', 'spawn', 'delay'].find((name) => isStep(edge.to, `${id}.${key}.${name}`));
    const between = part === undefined ? undefined : this.steps.get(`${id}.${key}.${part}`);
    const end = between?.next.ok;
    if (between !== undefined && end !== undefined && 'to' in end) {
      // The bound of a backward transition is then the default one.
      return { ...betweenOf(between), then: this.nameOf(end.to, id) };
    }
    const name = this.nameOf(edge.to, id);
    if (edge.max === undefined && edge.context === undefined) return name;
    const then = edge.then === undefined ? undefined : this.nameOf(edge.then, id);
    return omitUndefined({ goto: name, context: edge.context, max_iterations: edge.max, then });
  }
}

function betweenOf(step: StepModel): JsonObject {
  if (step.kind === 'delay') return { delay: writeDuration(step.durationMs) };
  if (step.kind !== 'agent') return { notify: writeNotify(step) };
  if (step.config.role === undefined) throw refusal(step.id, 'its agent is a live object');
  return { spawn: step.config.role };
}

function isStep(to: Target, id: string): boolean {
  return 'step' in to && to.step === id;
}

function isEnd(entry: StepModel['next'][string] | undefined, end: string): boolean {
  return entry !== undefined && 'to' in entry && 'end' in entry.to && entry.to.end === end;
}
