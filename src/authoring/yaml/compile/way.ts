// Owns the ways out of stages: what each key of a stage means as an edge, the steps that lie on it, and its bound.

import type { JsonObject } from '../../../base/json.ts';
import { didYouMean } from '../../../base/suggest.ts';
import type { Edge, RetryPolicy, StepModel, Target } from '../../../definition/model.ts';
import type { Problem } from '../../../definition/problem.ts';
import type { YamlNotify, YamlStage, YamlTarget, YamlTransition, YamlWorkflow } from '../document/document.ts';
import type { YamlPath } from '../position/position.ts';
import { callConfig } from './call.ts';
import { plainStep } from './step.ts';

/** What compiling found: where it stands in the file, and how bad it is. */
export interface CompileProblem extends Problem {
  readonly path: YamlPath;
  readonly severity: 'error' | 'warning';
}

const ESCALATE: Target = { end: 'escalate' };
const BACKOFF_MS_MAX = 600_000;
const ENDS: readonly string[] = ['complete', 'fail', 'escalate'];
/** What follows a step that tells somebody: the same, whether it could or not. */
const WHATEVER_HAPPENS = ['ok', 'skip', '_default', 'error', 'timeout'] as const;

/** Every outcome leads to the same target. */
export function always(to: Target): Record<string, Edge> {
  return Object.fromEntries(WHATEVER_HAPPENS.map((outcome) => [outcome, { to }]));
}

/** The ways of one workflow file, and the steps that lie on them. */
export class Ways {
  readonly added: StepModel[] = [];
  readonly warnings: CompileProblem[] = [];
  readonly wrong: CompileProblem[] = [];
  private readonly document: YamlWorkflow;
  private readonly positions: ReadonlyMap<string, number>;
  /** How often a loop without a bound of its own may go. */
  readonly maxIterations: number;

  constructor(document: YamlWorkflow, maxIterations: number) {
    this.document = document;
    this.maxIterations = maxIterations;
    this.positions = new Map(document.stages.map(({ id }, index) => [id, index]));
  }

  /** Where a name leads: an end, or a stage through whoever is told on entering it. */
  target(name: string): Target {
    if (name === 'complete') return this.complete;
    if (name === 'fail' || name === 'escalate') return { end: name };
    const stage = this.document.stages.find(({ id }) => id === name);
    return { step: stage?.onEnter === undefined ? name : `${name}.enter` };
  }

  /** The end, behind what is done once when a run has completed. */
  get complete(): Target {
    return this.document.onComplete.length === 0 ? { end: 'complete' } : { step: 'on_complete.1' };
  }

  /** The stage after a position in the file, or the end. */
  after(index: number): Target {
    const next = this.document.stages[index + 1];
    return next === undefined ? this.complete : this.target(next.id);
  }

  /** The edge that a transition means. */
  edge(stage: YamlStage, key: string, transition: YamlTransition): Edge {
    const { to, then, context } = transition;
    for (const target of [to, then]) if (target !== undefined) this.check(stage, target);
    const name = to?.stage ?? then?.stage ?? 'escalate';
    const data =
      context.length === 0 ? {} : { context: Object.fromEntries(context.map(({ name: entry, value }) => [entry, value])) as JsonObject };
    const bound = this.boundOf(stage, transition, name);
    return { to: this.through(`${stage.id}.${key}`, transition, this.target(name)), ...bound, ...data };
  }

  /** Tells of a target that is not there, where it is written. */
  check({ id }: Pick<YamlStage, 'id'>, { stage, path }: YamlTarget): void {
    if (this.positions.has(stage) || ENDS.includes(stage) || this.wrong.some((known) => known.path.join() === path.join())) return;
    const group = this.document.stages.find((other) => other.type === 'parallel' && other.branches.some((branch) => branch.id === stage));
    const problem: Omit<CompileProblem, 'path' | 'severity' | 'step'> =
      group === undefined
        ? {
            code: 'TARGET_UNKNOWN',
            message: `there is no stage "${stage}"${didYouMean(stage, [...this.positions.keys(), ...ENDS])}`,
            hint: `name a stage, or one of ${ENDS.join(', ')}`,
          }
        : {
            code: 'TARGET_IN_BRANCH',
            message: `"${stage}" is a branch of "${group.id}"`,
            hint: `a branch starts with its stage; name "${group.id}"`,
          };
    this.wrong.push({ ...problem, step: id, path, severity: 'error' });
  }

  private boundOf(stage: YamlStage, { max, then, path, retry, extend }: YamlTransition, name: string): Pick<Edge, 'max' | 'then'> {
    const isSpent = retry !== undefined || extend !== undefined;
    if (max !== undefined) return { max, then: then === undefined ? ESCALATE : this.target(then.stage) };
    const target = this.positions.get(name);
    if (isSpent || target === undefined || target > (this.positions.get(stage.id) ?? 0)) return {};
    this.warnings.push({
      step: stage.id,
      code: 'LOOP_UNBOUNDED',
      severity: 'warning',
      message: `the way back from "${stage.id}" to "${name}" has no bound; it is taken ${this.maxIterations} times at most, then the run escalates`,
      hint: 'write max_iterations and then',
      path,
    });
    return { max: this.maxIterations, then: ESCALATE };
  }

  /** Puts the steps that lie on a way before its target, the last first. */
  private through(id: string, { delayMs, spawn, notify, extend }: YamlTransition, target: Target): Target {
    let to = target;
    if (delayMs !== undefined)
      to = this.add(plainStep(`${id}.delay`, { kind: 'delay', durationMs: delayMs }, { recovery: 'rerun', next: { ok: { to } } }));
    // Whatever but success of it escalates, a rejection as well: it was called to repair something, and did not.
    if (spawn !== undefined) {
      const next = { ok: { to }, reject: { to: ESCALATE } };
      to = this.add(plainStep(`${id}.spawn`, { kind: 'agent', config: { role: spawn } }, { next }));
    }
    if (notify !== undefined && extend === undefined) to = this.add(tellStep(`${id}.notify`, notify, always(to)));
    return to;
  }

  /** Adds a step and gives the way to it. */
  add(step: StepModel): Target {
    this.added.push(step);
    return { step: step.id };
  }
}

/** A step that tells somebody something; it tells again after a crash, since nobody is hurt by hearing twice. */
export function tellStep(id: string, notify: YamlNotify, next: StepModel['next']): StepModel {
  return plainStep(id, { kind: 'action', config: callConfig({ action: 'notify', ...notify }) }, { recovery: 'rerun', next });
}

/** How often a stage is tried again; a timeout without a way of its own is an error (C2). */
export function retryOf({ on_error: onError, on_timeout: onTimeout = onError }: YamlStage['transitions']): RetryPolicy {
  const retry = onError?.retry ?? onTimeout?.retry;
  if (retry === undefined) return { max: 0, on: ['error'] };
  const on = [...(onError?.retry === undefined ? [] : ['error' as const]), ...(onTimeout?.retry === undefined ? [] : ['timeout' as const])];
  const { backoff } = retry;
  const growth =
    backoff === undefined
      ? {}
      : { backoff: { initialMs: backoff.initialMs, factor: backoff.factor ?? 2, maxMs: backoff.maxMs ?? BACKOFF_MS_MAX } };
  return { max: retry.max, on, ...growth };
}
