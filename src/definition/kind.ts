// Owns the declaration of a step kind: everything that the definition, the kernel and authoring know about a kind. Its
// execution is elsewhere.

import type { CheckDeclaration, CheckTraits } from './check.ts';
import { membersOf, type RecoveryPolicy, type StepKind, type StepModel } from './model.ts';
import type { OutcomeName } from './outcome.ts';

/** How the kernel runs an activation of the kind: it executes something, waits, or has members. */
type Pipeline = 'execute' | 'human' | 'group' | 'child' | 'delay' | 'signal';

/** The properties of a kind that other parts of the engine depend on. Nothing else decides by the name of a kind. */
export interface KindTraits {
  /** How the kernel runs it. Default: it is executed. */
  readonly pipeline?: Pipeline;
  /** Who does its work, for kinds that authors give work to. A generator is an agent that only writes text. */
  readonly worker?: 'agent' | 'generator' | 'program' | 'function';
  /** Whether its work may change files of the workspace: any of them, or those that the step declares. */
  readonly writesFiles?: 'any' | 'declared';
  /** True if its conditions may read databases although it has no worker. */
  readonly readsDatabases?: true;
  /** True if an object that it returns joins the run's data. */
  readonly joinsData?: true;
  /** True if the engine checks work there. */
  readonly checksWork?: true;
  /** True if it judges the tree of the workspace without checks of its own. */
  readonly judgesTree?: true;
  /** True if it only looks at the forge or at files, so that repeating it changes nothing. */
  readonly onlyLooks?: true;
  /** True if its work can end without a verdict; the step then waits and runs again later, until it times out. */
  readonly mayBePending?: true;
  /** True if agents cannot do anything about a failure of it. */
  readonly isBeyondAgents?: true;
  /** How it undoes the result of another step, in a few words, for kinds that can. */
  undoText?(step: StepModel): string;
  /** Its effects outside the run: none, none that would have to be undone, or lasting ones. */
  readonly effects?: 'none' | 'passing' | 'lasting';
  /** The consequence of running it again, in a few words. */
  readonly again?: string;
  /** Its effects outside the workspace, which restoring files does not undo. */
  effectText?(step: StepModel): string;
  /** Whether a step of this kind merges work. */
  lands?(step: StepModel): boolean;
  /** Returns the step whose pull request a step of this kind is about, if it names one. */
  pullRequestOf?(step: StepModel): string | undefined;
}

/** The properties of all kinds and checks, passed to all code that depends on them. */
export interface KindFacts {
  readonly kinds: Readonly<Record<string, KindTraits>>;
  readonly checks: Readonly<Record<string, CheckTraits>>;
}

const NO_TRAITS: KindTraits = Object.freeze({});

/** Returns the properties of a kind. */
export function traitsOf({ kinds }: Pick<KindFacts, 'kinds'>, kind: string): KindTraits {
  return kinds[kind] ?? NO_TRAITS;
}

/** Returns how the kernel runs activations of a kind. */
export function pipelineOf(facts: Pick<KindFacts, 'kinds'>, kind: string): Pipeline {
  return traitsOf(facts, kind).pipeline ?? 'execute';
}

/** Whether an agent does the work of a kind, if only by writing text. */
export function isAgentKind(facts: Pick<KindFacts, 'kinds'>, kind: string): boolean {
  const { worker } = traitsOf(facts, kind);
  return worker === 'agent' || worker === 'generator';
}

/** Whether the work runs in another process with its own shell, as agents and programs do. */
export function runsInOtherProcess(facts: Pick<KindFacts, 'kinds'>, kind: string): boolean {
  const { worker } = traitsOf(facts, kind);
  return worker === 'agent' || worker === 'program';
}

/** Whether agents work at a step, or at one inside it. The repair of a validation is not the end of it. */
export function hasAgents(facts: Pick<KindFacts, 'kinds'>, step: StepModel): boolean {
  if (isAgentKind(facts, step.kind)) return true;
  return step.kind !== 'validate' && membersOf(step).some((member) => hasAgents(facts, member));
}

/** Reports what is wrong with the configuration of a step. */
export interface KindReport {
  /** Reports a fault, and what to do about it. */
  fault(message: string, hint: string): void;
  /** Checks an expression. `roots` are the allowed root names, if they differ from those of conditions; `any` allows all data. */
  expression(source: string, label: string, roots?: readonly string[] | 'any'): void;
  /**
   * Returns the declaration of a built-in kind, or undefined if there is none of that name.
   * @internal
   */
  kind(name: string): KindDeclaration | undefined;
  /** Returns the declaration of a check, or undefined if only the engine that runs it knows it. */
  check(name: string): CheckDeclaration | undefined;
}

/** The declaration of a step kind. */
export interface KindDeclaration extends KindTraits {
  readonly kind: StepKind;
  readonly effects: NonNullable<KindTraits['effects']>;
  readonly again: string;
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
export interface KindRegistry extends KindFacts {
  readonly kinds: Readonly<Record<StepKind, KindDeclaration>>;
  readonly checks: Readonly<Record<string, CheckDeclaration>>;
}

/** True for text that is not blank. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

/** True for a non-empty list of texts. */
export function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every(isText);
}

/** True for a whole number of at least `least`. */
export function isCount(value: unknown, least: number): value is number {
  return Number.isSafeInteger(value) && (value as number) >= least;
}
