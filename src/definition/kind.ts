// Owns what a kind of step declares about itself. A declaration is all that the definition, the kernel and the ways of
// writing a workflow know of a kind; how it is executed is elsewhere.

import type { Json } from '../base/json.ts';
import { budgetFault } from './budget.ts';
import type { CheckDeclaration } from './check.ts';
import type { RecoveryPolicy, StepKind, StepModel } from './model.ts';
import type { OutcomeName } from './outcome.ts';

/** Which life an activation of the kind leads in the kernel: it executes something, or waits, or holds members. */
export type Pipeline = 'execute' | 'human' | 'group' | 'child' | 'delay' | 'signal';

const LED_BY_KERNEL: Readonly<Partial<Record<StepKind, Pipeline>>> = {
  human: 'human',
  parallel: 'group',
  each: 'group',
  workflow: 'child',
  delay: 'delay',
  signal: 'signal',
};

/** The life that activations of a kind lead in the kernel: what it does not lead itself is executed. */
export function pipelineOf(kind: StepKind): Pipeline {
  return LED_BY_KERNEL[kind] ?? 'execute';
}

/** Where a kind reports what is wrong with the configuration of one of its steps. */
export interface KindReport {
  /** A fault, and what to do about it. */
  fault(message: string, hint: string): void;
  /** Checks an expression; `roots` are the names it may begin with, when they are not those of conditions; `any` where they are data. */
  expression(source: string, what: string, roots?: readonly string[] | 'any'): void;
  /** What a check of a gate declares; undefined for one that only the engine that runs it knows. */
  check(name: string): CheckDeclaration | undefined;
}

/** What a kind of step declares. */
export interface KindDeclaration {
  readonly kind: StepKind;
  /** Outcomes and other keys of transition tables, beside the common ones; a function where they depend on the step. */
  readonly outcomes: readonly OutcomeName[] | ((step: StepModel) => readonly OutcomeName[]);
  /** What happens to an attempt without a recorded end, when its author does not say. */
  readonly recovery: RecoveryPolicy;
  /** Reports what is wrong with the configuration of a step. */
  validate(step: StepModel, report: KindReport): void;
}

/** The kinds of steps and the checks that there are, by name. Whoever validates or compiles is given it. */
export interface KindRegistry {
  readonly kinds: Readonly<Record<StepKind, KindDeclaration>>;
  readonly checks: Readonly<Record<string, CheckDeclaration>>;
}

/** True for text that is not blank. */
export function isText(value: Json | undefined): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

/** True for a list of texts with at least one in it. */
export function isTextList(value: Json | undefined): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every(isText);
}

/** True for a whole number of at least `least`. */
export function isCount(value: unknown, least: number): value is number {
  return Number.isSafeInteger(value) && (value as number) >= least;
}

/** Reports a budget that cannot be kept. */
export function validateBudget(budget: unknown, report: KindReport): void {
  const fault = budget === undefined ? undefined : budgetFault(budget);
  if (fault !== undefined) report.fault(`its budget cannot be kept: ${fault}`, 'correct the amount, or leave it out');
}
