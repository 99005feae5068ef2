// Owns the value that a builder returns: a step that can be yielded, or delegated to with `yield*`, which types its result.
// A call is immutable: every option creates a new one, and none of them does any work.

import type { Duration } from '../../base/duration.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import type { BoundStep, CompiledWorkflow, StepContext } from '../../definition/code.ts';
import type { RecoveryPolicy } from '../../definition/model.ts';
import {
  type FlowFailure,
  type FlowGroup,
  type FlowStep,
  type FlowYield,
  markUsed,
  StepFailed,
  trackCreated,
} from '../../programs/flow-step.ts';
import type { Retry, TimeSpan, Undo } from '../spec/part.ts';
import { checkMember, type FlowCondition, invalid, type ReadStep, type StepOptions, withFrame } from './model.ts';
import { serialiseStep } from './serial.ts';

/** A step of a flow whose result has the type `T`: `const x = yield* step('a').task(fn)`. */
export interface FlowCall<T> extends FlowStep {
  /** The workflow that the step starts, if it was passed as a value. */
  readonly child: CompiledWorkflow | undefined;
  [Symbol.iterator](): Generator<FlowYield, T, unknown>;
  /** The step as plain data, without live objects: for logs, and for `JSON.stringify`. */
  toJSON(): JsonObject;
  /** Sets the title that people see. */
  title(title: string): FlowCall<T>;
  /** Sets how often a failed attempt is retried. */
  retry(retry: Retry<Duration>): FlowCall<T>;
  /** Sets how long one attempt, or a whole wait, may take. */
  timeout(timeout: TimeSpan): FlowCall<T>;
  /** Sets what happens to an attempt without a recorded end after a crash; `reconcile` needs a function that finds out. */
  recovery(policy: Exclude<RecoveryPolicy, 'reconcile'>): FlowCall<T>;
  recovery(policy: 'reconcile', reconcile: (ctx: StepContext) => unknown): FlowCall<T>;
  /** Adds conditions that must hold before the step begins. */
  preconditions(...conditions: readonly FlowCondition[]): FlowCall<T>;
  /** Adds conditions that must hold before the step counts as done. */
  postconditions(...conditions: readonly FlowCondition[]): FlowCall<T>;
  /** Adds semaphores that the step holds while it runs. */
  slots(...keys: readonly string[]): FlowCall<T>;
  /** Undoes the result when the run fails, is rejected or is cancelled; the same as the option `undo`. */
  withRollback(undo: Undo<StepContext>): FlowCall<T>;
  /** Does the step only if this is true; otherwise the run records it as skipped, and its result is null. */
  when(condition: boolean): FlowCall<T | null>;
  /** The result is null if the step fails. What a person rejects still fails. With `yield*` only. */
  skipOnError(): FlowCall<T | null>;
}

/** Several steps at the same time, with a typed result: a tuple for `all`, the winner's result for `race`. */
export interface FlowBatch<T> extends FlowGroup {
  [Symbol.iterator](): Generator<FlowYield, T, unknown>;
}

/** The type of the result of `yield*` on a step. */
export type ResultOf<Call> = Call extends { [Symbol.iterator](): Generator<FlowYield, infer T, unknown> } ? T : unknown;

/** The parts of a call. */
export interface CallParts<T> {
  readonly read: ReadStep;
  readonly bound: BoundStep;
  readonly child: CompiledWorkflow | undefined;
  /** Converts what the kernel sends, or the rest of a failure, to the result type of the call, if they differ. */
  readonly receive?: (sent: unknown) => T;
  readonly skipsErrors?: true;
}

type ChangedFields = { readonly [Option in keyof StepOptions]?: StepOptions[Option] | undefined } & { readonly condition?: string };

/** The condition of a skipped step. */
const SKIPPED = 'false';

class Call<T> implements FlowCall<T> {
  readonly yields = 'step';
  readonly bound: BoundStep;
  readonly child: CompiledWorkflow | undefined;
  readonly #parts: CallParts<T>;

  constructor(parts: CallParts<T>) {
    this.bound = parts.bound;
    this.child = parts.child;
    this.#parts = parts;
    Object.freeze(this);
    trackCreated(this);
  }

  *[Symbol.iterator](): Generator<FlowYield, T, unknown> {
    const { receive, skipsErrors } = this.#parts;
    if (receive === undefined && skipsErrors === undefined) return (yield this) as T;
    let sent: unknown;
    try {
      sent = yield this;
    } catch (error) {
      if (skipsErrors && error instanceof StepFailed && error.outcome !== 'reject') return null as T;
      if (receive === undefined) throw error;
      throw error instanceof StepFailed ? new StepFailed({ ...failureOf(error), output: receive(error.output) as Json }) : error;
    }
    return receive === undefined || this.bound.model.condition === SKIPPED ? (sent as T) : receive(sent);
  }

  toJSON(): JsonObject {
    return serialiseStep(this);
  }

  title(title: string): FlowCall<T> {
    return new Call(this.#with({ title }));
  }

  retry(retry: Retry<Duration>): FlowCall<T> {
    return new Call(this.#with({ retry }));
  }

  timeout(timeout: TimeSpan): FlowCall<T> {
    return new Call(this.#with({ timeout }));
  }

  recovery(policy: RecoveryPolicy, reconcile?: (ctx: StepContext) => unknown): FlowCall<T> {
    // Without a function, "reconcile" keeps the one it has, and no other policy has one.
    return new Call(this.#with(policy === 'reconcile' && reconcile === undefined ? { recovery: policy } : { recovery: policy, reconcile }));
  }

  preconditions(...conditions: readonly FlowCondition[]): FlowCall<T> {
    return new Call(this.#with({ preconditions: conditions }));
  }

  postconditions(...conditions: readonly FlowCondition[]): FlowCall<T> {
    return new Call(this.#with({ postconditions: conditions }));
  }

  slots(...keys: readonly string[]): FlowCall<T> {
    return new Call(this.#with({ slots: keys }));
  }

  withRollback(undo: Undo<StepContext>): FlowCall<T> {
    return new Call(this.#with({ undo }));
  }

  when(condition: boolean): FlowCall<T | null> {
    if (typeof condition !== 'boolean') throw invalid(`step "${this.bound.model.id}"`, 'cannot be built: `when` must be true or false');
    return new Call<T | null>(this.#with(condition ? {} : { condition: SKIPPED }));
  }

  skipOnError(): FlowCall<T | null> {
    markUsed(this);
    return new Call<T | null>({ ...this.#parts, skipsErrors: true });
  }

  get skipsErrors(): boolean {
    return this.#parts.skipsErrors === true;
  }

  #with(changed: ChangedFields): CallParts<T> {
    markUsed(this);
    return { ...this.#parts, ...withFrame(this.#parts.read, changed) };
  }
}

function failureOf({ step, outcome, code, message, evidence }: StepFailed): FlowFailure {
  return { step, outcome, code, message, evidence };
}

/** Creates the call of a step. */
export function createCall<T>(parts: CallParts<T>): FlowCall<T> {
  return new Call(parts);
}

class Batch<T> implements FlowBatch<T> {
  readonly yields: 'all' | 'race';
  readonly steps: readonly FlowStep[];

  constructor(yields: 'all' | 'race', steps: readonly FlowStep[]) {
    this.yields = yields;
    this.steps = Object.freeze([...steps]);
    for (const step of steps) {
      markUsed(step);
      checkMember(`${yields}([…])`, step.bound);
      if (step instanceof Call && step.skipsErrors)
        throw invalid(`${yields}([…])`, `cannot contain step "${step.bound.model.id}" with skipOnError; yield* that step separately`);
    }
    Object.freeze(this);
    trackCreated(this);
  }

  *[Symbol.iterator](): Generator<FlowYield, T, unknown> {
    if (this.steps.length > 0) return (yield this) as T;
    // A group without steps would wait forever.
    markUsed(this);
    return [] as T;
  }
}

/** Runs all steps at the same time; returns their results in the order written, or throws when one of them fails. */
export function all<const Calls extends readonly FlowStep[]>(
  calls: Calls,
): FlowBatch<{ -readonly [K in keyof Calls]: ResultOf<Calls[K]> }> {
  return new Batch('all', calls);
}

/** Runs all steps at the same time; returns the result of the first that succeeds, and stops the others. */
export function race<const Calls extends readonly FlowStep[]>(
  calls: Calls & (Calls extends readonly [] ? 'a race needs at least one step' : unknown),
): FlowBatch<ResultOf<Calls[number]>> {
  if (calls.length === 0) throw invalid('race([])', 'must have at least one step');
  return new Batch('race', calls);
}

/** The first of these steps whose condition is true: `yield* branch([[isLarge, step('split')…], [true, step('edit')…]])`. */
export function branch<const Choices extends readonly (readonly [condition: boolean, step: FlowStep])[]>(
  choices: Choices,
): Choices[number][1] {
  for (const [, step] of choices) markUsed(step);
  const chosen = choices.find(([condition]) => condition)?.[1];
  if (chosen === undefined) throw invalid('branch([…])', 'must have a condition that is true; end it with [true, step(…)]');
  trackCreated(chosen);
  return chosen;
}
