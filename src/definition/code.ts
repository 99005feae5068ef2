// Owns the functions of a workflow's steps, by step id. They are never stored; a resumed run binds them again by id,
// and their digest tells whether they have changed.

import type { Json, JsonObject } from '../base/json.ts';
import type { ConditionModel, Definition, StepModel } from './model.ts';
import type { OutcomeName } from './outcome.ts';
import type { OwnKind } from './own-kind.ts';
import type { TriggerModel } from './trigger.ts';

/** The context of a step's function. Everything is passed in: there are no globals and no ambient state. */
export interface StepContext {
  readonly runId: string;
  readonly workflow: string;
  readonly stepId: string;
  readonly path: string;
  readonly attempt: number;
  /** The same for a rerun after a crash, new for a retry. Pass it to whatever must not happen twice. */
  readonly idempotencyKey: string;
  /** The parameters of the run; they never change. */
  readonly params: JsonObject;
  /** The other name of `params`. */
  readonly workflowParams: JsonObject;
  /** The data that steps have merged so far, over the params. */
  readonly stepState: JsonObject;
  /** The step's arguments (`args`): from the run's data by their names, else their defaults. */
  readonly args: JsonObject;
  readonly checkpoint: CheckpointView;
  /** Earlier results by step name. */
  readonly results: Readonly<Record<string, { readonly output: Json }>>;
  /** In postconditions: the result of the step. */
  readonly result: unknown;
  /** In a fan-out: the item of this member and its key. */
  readonly item: unknown;
  readonly itemKey: string | undefined;
  /** After a failed attempt: what was wrong with it. */
  readonly retryContext: { readonly error: string; readonly attempt: number; readonly note?: string } | undefined;
  /** Aborted when the attempt must stop: timeout, cancel, or a join that is already settled. */
  readonly signal: AbortSignal;
}

/** The checkpoint as conditions and handlers see it: merged data, plus names and results of completed steps. */
export interface CheckpointView {
  readonly completedSteps: readonly string[];
  readonly results: Readonly<Record<string, Json>>;
  readonly iterationCounts: Readonly<Record<string, number>>;
  readonly gateDecision: { readonly gate: string; readonly option: string; readonly input?: string | undefined } | undefined;
  readonly [key: string]: unknown;
}

/** The normalised return value of a `task`. */
export interface TaskReturn {
  readonly outcome: OutcomeName;
  readonly output: unknown;
}

/** Builds the instructions of a step from its parameters, and optionally its title. */
export type ActionsBuilder = (params: JsonObject) => readonly string[] | { readonly title: string; readonly actions: readonly string[] };

/** A condition of a contract, evaluated by the engine. */
export type ConditionCheck = (ctx: never) => boolean | Promise<boolean>;

/** A value of a step's work that a function builds when the step begins. */
export interface BuiltValue {
  /** Where in the work it belongs: `['env', 'TITLE']`, `['request', 'body', 'title']`. */
  readonly path: readonly string[];
  /** What it must be: a text, texts by name, or any data. */
  readonly shape: 'text' | 'texts' | 'data';
  readonly build: (ctx: StepContext) => unknown;
}

/** What stands in a definition in place of a text that a function builds. */
export const BUILT_TEXT = '(built by a function)';

/** The functions of one step. */
export interface StepCode {
  /** Does the work of a `task`. A flow's task gets its arguments, a graph's its context. */
  readonly run?: (ctx: StepContext) => TaskReturn | Promise<TaskReturn>;
  readonly preconditions: readonly (ConditionCheck | undefined)[];
  readonly postconditions: readonly (ConditionCheck | undefined)[];
  /** Returns whether an attempt without a recorded end took effect. */
  readonly reconcile?: (ctx: StepContext) => unknown;
  /** Whether a polling delay is over. */
  readonly poll?: (ctx: StepContext) => boolean | Promise<boolean>;
  /** Builds the context of an agent or a generation, or the input of a child workflow. */
  readonly context?: (ctx: StepContext) => unknown;
  /** Values of the work that functions build; absent where there are none. */
  readonly built?: readonly BuiltValue[];
  /** A live agent or generator object. */
  readonly agent?: { execute(context: JsonObject, ctx: StepContext): unknown };
  /** Looks for what the step produces, by the name of the output. */
  readonly finds?: Readonly<Record<string, (ctx: never) => unknown>>;
  /** The application's kind that does the work of an `own` step. */
  readonly own?: OwnKind;
  /** Builds the instructions, if they are not fixed text. */
  readonly actions?: ActionsBuilder;
  /** The functions of the members of a group, by member id. */
  readonly members: Readonly<Record<string, StepCode>>;
}

/** A workflow in memory: its data, its functions, and the digests of both. */
export interface CompiledWorkflow {
  readonly definition: Definition;
  /** Digest of the data: equal definitions have equal hashes, however they were written. */
  readonly hash: string;
  /** Digest of the functions' sources, or of the import graph if the caller knows it. */
  readonly codeHash: string;
  /** The functions of a graph's steps, by step id; empty for a flow. */
  readonly code: ReadonlyMap<string, StepCode>;
  /** The generator function of a flow. */
  readonly flow?: (input: never) => Generator<unknown, unknown, unknown>;
  /** Builds the application's part of the context, once per attempt. */
  readonly context?: (run: { readonly runId: string; readonly workflow: string; readonly params: JsonObject }) => unknown;
  /** Workflows that steps start as children, by name. */
  readonly children: ReadonlyMap<string, CompiledWorkflow>;
  /** Its trigger, if its file has one. */
  readonly trigger?: TriggerModel;
}

/** A step with its data and its functions. */
export interface BoundStep<Model extends StepModel = StepModel> {
  readonly model: Model;
  readonly code: StepCode;
}

/** A step without functions. */
export const NO_CODE: StepCode = Object.freeze({ preconditions: [], postconditions: [], members: Object.freeze({}) });

/** Pairs the conditions of a contract with their checks. */
export function pairConditions(models: readonly ConditionModel[], checks: readonly (ConditionCheck | undefined)[]) {
  return models.map((model, index) => ({ model, check: checks[index] }));
}
