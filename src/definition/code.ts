// Owns the functions of a workflow's steps, by step id. They are never stored; a resumed run binds them again by id,
// and their digest tells whether they have changed.

import type { Json, JsonObject } from '../base/json.ts';
import type { CheckCodes } from './check.ts';
import type { CustomKind } from './custom-kind.ts';
import type { ConditionModel, Definition, StepModel } from './model.ts';
import type { OutcomeName } from './outcome.ts';
import type { ProtectedDatabase } from './protected-database.ts';
import type { AssumptionInput } from './question/assumption.ts';
import type { LastDecision } from './scope/scope.ts';
import type { ScheduleModel } from './trigger/schedule.ts';
import type { TriggerModel } from './trigger/trigger.ts';

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
  /** The step's arguments (`args`): from the run's data by name, otherwise their defaults. */
  readonly args: JsonObject;
  /** The data that steps have merged so far, over the params, and the run's progress. */
  readonly checkpoint: CheckpointView;
  /** Earlier results by step name; in a graph, the types of its own context say what the output of each step is. */
  readonly results: Readonly<Record<string, { readonly output: unknown } | undefined>>;
  /** In postconditions: the result of the step. In an undo: the result that is undone. */
  readonly result: unknown;
  /** In an undo: the attempt whose result is undone, with its idempotency key. */
  readonly undoes: UndoneWork | undefined;
  /** In a fan-out: the item of this member and its key. */
  readonly item: unknown;
  readonly itemKey: string | undefined;
  /** After a failed attempt: why it failed. */
  readonly retryContext: { readonly error: string; readonly attempt: number; readonly note?: string } | undefined;
  /**
   * Records an assumption that the step makes instead of asking a person, and continues. Returns a person's answer if there
   * is one, otherwise the assumption. It counts when the step's result does.
   */
  readonly assume: (assumption: AssumptionInput) => string;
  /** Aborted when the attempt must stop: timeout, cancel, or a join that is already settled. */
  readonly signal: AbortSignal;
  /**
   * The protected database of a step that declares one (`databases`). It is a copy: what the step writes is accepted with
   * the step, in one transaction, or dropped.
   */
  readonly db: ProtectedDatabase;
  /** The same by name. */
  readonly databases: Readonly<Record<string, ProtectedDatabase>>;
}

/** The attempt whose result an undo reverses. */
export interface UndoneWork {
  readonly runId: string;
  readonly stepId: string;
  readonly path: string;
  readonly attempt: number;
  readonly idempotencyKey: string;
}

/** The checkpoint as conditions and handlers see it: merged data, plus names and results of completed steps. */
export interface CheckpointView {
  readonly completedSteps: readonly string[];
  readonly results: Readonly<Record<string, Json>>;
  readonly iterationCounts: Readonly<Record<string, number>>;
  /** The last decision of a person: the step that asked, the option, and what the person wrote. */
  readonly lastDecision: LastDecision | undefined;
  readonly [key: string]: unknown;
}

/** The normalised return value of a `task`. */
export interface TaskReturn<Outcome extends OutcomeName = OutcomeName> {
  readonly outcome: Outcome;
  readonly output: unknown;
}

/** What the instructions of a step can depend on in addition to the parameters: the state of the run when the step starts. */
export interface ActionsContext {
  /** Which visit of the step this is, from 1. */
  readonly visit: number;
  /** The latest result of each completed step, by name. */
  readonly results: Readonly<Record<string, Json>>;
}

/** Where a visit of a step is in a loop. */
export interface LoopPosition {
  /** The visit of a step that is repeated until its agent is sure, and how many there are at most. */
  readonly iteration?: number;
  readonly iterationsMax?: number;
  /** The round of a review loop, its name, and the severities that stop the work in this round. */
  readonly round?: number;
  readonly review?: string;
  readonly blocks?: readonly string[];
}

/** Instructions with their own title, and their position in a loop. */
export interface BuiltActions {
  readonly title: string;
  readonly actions: readonly string[];
  readonly loop?: LoopPosition;
}

/** Builds the instructions of a step. It is pure: the same run in the same state gets the same text after a restart. */
export type ActionsBuilder<Params = JsonObject> = (params: Params, at: ActionsContext) => readonly string[] | BuiltActions;

/** Accepted work, and the current state of the run. */
export interface AcceptedWork<Params = JsonObject> extends ActionsContext {
  /** `reject` for a verdict against the reviewed work. */
  readonly outcome: 'ok' | 'reject';
  readonly output: Json;
  readonly params: Params;
}

/** Chooses the outcome of a step when its work is accepted: `ok`, one of its `routes`, or the verdict as it is. */
export type RouteChoice<Outcome extends OutcomeName = OutcomeName, Params = JsonObject> = (
  done: AcceptedWork<Params>,
) => TaskReturn<Outcome>;

/** A condition of a contract, evaluated by the engine. */
export type ConditionCheck = (ctx: never) => boolean | Promise<boolean>;

/** A value of a step's work that a function builds when the step begins. */
export interface BuiltValue {
  /** Where in the work it belongs: `['env', 'TITLE']`, `['request', 'body', 'title']`. */
  readonly path: readonly string[];
  /** Its type: a string, an object of strings, or any data. */
  readonly shape: 'text' | 'texts' | 'data';
  readonly build: (ctx: StepContext) => unknown;
}

/** The placeholder in a definition for a string that a function builds. */
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
  /** Values of the work that functions build; absent if there are none. */
  readonly built?: readonly BuiltValue[];
  /** A live agent or generator object. */
  readonly agent?: { execute(context: JsonObject, ctx: StepContext): unknown };
  /** Finds what the step produced, by the name of the output. */
  readonly finds?: Readonly<Record<string, (ctx: never) => unknown>>;
  /** The application's kind that does the work of a `custom` step. */
  readonly custom?: CustomKind;
  /** The application's checks that a gate makes, by name; the executor of gates decides how they run. */
  readonly checks?: CheckCodes;
  /** Builds the instructions, if they are not fixed text. */
  readonly actions?: ActionsBuilder;
  /** Chooses the outcome of accepted work. */
  readonly route?: RouteChoice;
  /** The functions of its undo. */
  readonly undo?: StepCode;
  /** The functions of the members of a group, by member id. */
  readonly members: Readonly<Record<string, StepCode>>;
}

/** The inputs for building the application's part of the context. */
export interface ContextSource<Params = JsonObject> {
  readonly runId: string;
  /** When the run began, in milliseconds. */
  readonly startedAt: number;
  readonly workflow: string;
  readonly params: Params;
  /**
   * The step's copies of its protected databases, by name; empty for a step without. A context that reads them may have
   * a `db` of its own, such as an object with the application's queries around one of them.
   */
  readonly databases: Readonly<Record<string, ProtectedDatabase>>;
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
  readonly context?: (run: ContextSource) => unknown;
  /** Workflows that steps start as children, by name. */
  readonly children: ReadonlyMap<string, CompiledWorkflow>;
  /** Its trigger, if its file has one. */
  readonly trigger?: TriggerModel;
  /** When it starts by itself, while a server runs. */
  readonly schedule?: ScheduleModel;
  /** The command in a comment that starts it, without its slash. */
  readonly command?: string;
  /** It was written with `pawl/compat`: its functions also get `ctx.workflowParams` and `ctx.stepState`. */
  readonly isCompat?: true;
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
