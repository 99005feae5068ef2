// Owns the declaration of a step kind: everything that the definition, the kernel and authoring know about a kind. Its
// execution is elsewhere.

import type { Json } from '../base/json.ts';
import { budgetFault } from './budget.ts';
import type { CheckDeclaration } from './check.ts';
import type { RecoveryPolicy, StepKind, StepModel } from './model.ts';
import type { OutcomeName } from './outcome.ts';

/** How the kernel runs an activation of the kind: it executes something, waits, or has members. */
export type Pipeline = 'execute' | 'human' | 'group' | 'child' | 'delay' | 'signal';

const KERNEL_PIPELINES: Readonly<Partial<Record<StepKind, Pipeline>>> = {
  human: 'human',
  parallel: 'group',
  each: 'group',
  workflow: 'child',
  delay: 'delay',
  signal: 'signal',
};

/** Returns how the kernel runs activations of a kind. Kinds without an entry are executed. */
export function pipelineOf(kind: StepKind): Pipeline {
  return KERNEL_PIPELINES[kind] ?? 'execute';
}

/** Reports what is wrong with the configuration of a step. */
export interface KindReport {
  /** Reports a fault, and what to do about it. */
  fault(message: string, hint: string): void;
  /** Checks an expression. `roots` are the allowed root names, if they differ from those of conditions; `any` allows all data. */
  expression(source: string, what: string, roots?: readonly string[] | 'any'): void;
  /** Returns the declaration of a check, or undefined if only the engine that runs it knows it. */
  check(name: string): CheckDeclaration | undefined;
}

/** The declaration of a step kind. */
export interface KindDeclaration {
  readonly kind: StepKind;
  /** Outcomes and other keys of transition tables besides the common ones; a function if they depend on the step. */
  readonly outcomes: readonly OutcomeName[] | ((step: StepModel) => readonly OutcomeName[]);
  /** The default recovery of an attempt without a recorded end. */
  readonly recovery: RecoveryPolicy;
  /** True if the workflow cannot change the recovery of its steps: only the kind's author knows if a rerun does harm. */
  readonly keepsRecovery?: true;
  /** Reports what is wrong with the configuration of a step. */
  validate(step: StepModel, report: KindReport): void;
}

/** All step kinds and checks, by name. It is passed to code that validates or compiles. */
export interface KindRegistry {
  readonly kinds: Readonly<Record<StepKind, KindDeclaration>>;
  readonly checks: Readonly<Record<string, CheckDeclaration>>;
}

/** True for text that is not blank. */
export function isText(value: Json | undefined): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

/** True for a non-empty list of texts. */
export function isTextList(value: Json | undefined): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every(isText);
}

/** True for a whole number of at least `least`. */
export function isCount(value: unknown, least: number): value is number {
  return Number.isSafeInteger(value) && (value as number) >= least;
}

/** Reports an invalid budget. */
export function validateBudget(budget: unknown, report: KindReport): void {
  const fault = budget === undefined ? undefined : budgetFault(budget);
  if (fault !== undefined) report.fault(`its budget is invalid: ${fault}`, 'correct the amount, or leave it out');
}
