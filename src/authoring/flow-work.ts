// Owns the kinds of steps that do work in a flow: functions, programs, agents, generations, and validations that mend
// what they find.

import { type Json, type JsonObject, ownCopy } from '../base/json.ts';
import { type Budget, budgetFault } from '../definition/budget.ts';
import type { BoundStep, StepCode, StepContext } from '../definition/code.ts';
import { type FlowStep, noteUsed } from '../kernel/flow-step.ts';
import { checkMember, createBoundStep, invalid, plainOf, type StepOptions } from './flow-model.ts';
import { shownValue } from './flow-serial.ts';

/** Any function that can do a step's work. */
export type Action = (...args: never[]) => unknown;

/** A function with its arguments; `args` as a function builds them from the context when the step begins. */
export interface TaskSpec<Args extends readonly unknown[], Returned> extends StepOptions {
  readonly action: (...args: Args) => Returned;
  readonly args?: readonly [...Args] | ((ctx: StepContext) => readonly [...Args] | Promise<readonly [...Args]>);
}

/** A program: `run` goes to the shell as it is written, `argv` is started without one. */
export interface CommandSpec extends StepOptions {
  readonly run?: string;
  readonly argv?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** Fixed data, or a function that builds it from earlier results when the step begins. */
export type ContextSpec<Context extends object> = Context | ((ctx: StepContext) => Context | Promise<Context>);

/** An object of the application that does the work of an agent or a generator. */
export interface LiveAgent<Context extends object> {
  execute(context: Context, ctx: StepContext): unknown;
}

/** An agent, by the name of its role or as a live object, and what it is told. */
export interface AgentSpec<Context extends object> extends StepOptions {
  readonly agent: string | LiveAgent<Context>;
  readonly context?: ContextSpec<Context>;
  readonly action?: string;
  readonly prompt?: string;
  readonly script?: string;
  /** The JSON Schema that its output has to fit. */
  readonly schema?: JsonObject;
  /** What all attempts of the step may use in a run; then it waits for more. */
  readonly budget?: Budget;
  /** It may relay questions to the person it works for. */
  readonly supportsQuestions?: boolean;
}

/** A generator of text, by the name of its role or as a live object, and what it is told. */
export interface GenerateSpec<Context extends object> extends StepOptions {
  readonly generator: string | LiveAgent<Context>;
  readonly context?: ContextSpec<Context>;
  readonly budget?: Budget;
}

/** Stages by name, by a key of the configuration, or the default set; `retry` counts the rounds of mending. */
export interface ValidateSpec extends Omit<StepOptions, 'retry'> {
  readonly stages?: readonly string[] | string;
  readonly retry?: number;
  /** Runs after a failed round, before the next; its own result does not decide. */
  readonly onFailure?: FlowStep;
}

const MENDING_ROUNDS = 3;

/** A function called with its arguments; whatever it returns is the step's result. */
export function buildTask(name: string, spec: TaskSpec<never, unknown>): BoundStep {
  const { action, args = [] as readonly unknown[], ...options } = spec;
  if (typeof action !== 'function')
    throw invalid(`step "${name}"`, 'has no function to call; write .task(fn, ...args) or .task({ action, args })');
  const call = action as unknown as (...args: readonly unknown[]) => unknown;
  // As they are now: the flow may go on with the same objects. Each attempt gets data of its own, and live objects themselves.
  const fixed = typeof args === 'function' ? undefined : args.map(ownCopy);
  const run = async (ctx: StepContext) => {
    const given: readonly unknown[] = typeof args === 'function' ? await args(ctx) : (fixed ?? []);
    return { outcome: 'ok', output: await call(...given.map(ownCopy)) };
  };
  // The name of the author's function is what logs show.
  Object.defineProperty(run, 'name', { value: action.name });
  return createBoundStep({ name, kind: 'task', config: { args: shownValue(args) }, code: { run }, options });
}

/** A program that is started. */
export function buildCommand(name: string, given: string | readonly string[] | CommandSpec): BoundStep {
  const { run, argv, env, cwd, ...options } = commandSpec(given);
  const config: JsonObject = {
    ...(run === undefined ? {} : { run }),
    ...(argv === undefined ? {} : { argv: [...argv] }),
    ...(env === undefined ? {} : { env: { ...env } }),
    ...(cwd === undefined ? {} : { cwd }),
  };
  return createBoundStep({ name, kind: 'command', config, options });
}

function commandSpec(given: string | readonly string[] | CommandSpec): CommandSpec {
  if (typeof given === 'string') return { run: given };
  return Array.isArray(given) ? { argv: given as readonly string[] } : (given as CommandSpec);
}

/** An agent that is told what to do. */
export function buildAgent<Context extends object>(name: string, spec: AgentSpec<Context>): BoundStep {
  const { agent, context, action, prompt, script, schema, budget, supportsQuestions, ...options } = spec;
  const worker = workerOf(name, 'agent', agent);
  const told = toldOf(name, context);
  const config: JsonObject = {
    ...(worker.role === undefined ? {} : { role: worker.role }),
    ...(action === undefined ? {} : { action }),
    ...(prompt === undefined ? {} : { prompt }),
    ...(script === undefined ? {} : { script }),
    ...(schema === undefined ? {} : { schema: plainOf<JsonObject>(name, 'the schema', schema) }),
    ...budgetOf(name, budget),
    ...(supportsQuestions === undefined ? {} : { supportsQuestions }),
    ...told.config,
  };
  return createBoundStep({ name, kind: 'agent', config, code: { ...worker.code, ...told.code }, options });
}

/** A generator that is told what to write. */
export function buildGenerate<Context extends object>(name: string, spec: GenerateSpec<Context>): BoundStep {
  const { generator, context, budget, ...options } = spec;
  const worker = workerOf(name, 'generator', generator);
  const told = toldOf(name, context);
  const config: JsonObject = {
    ...(worker.role === undefined ? {} : { generator: worker.role }),
    ...budgetOf(name, budget),
    ...told.config,
  };
  return createBoundStep({ name, kind: 'generate', config, code: { ...worker.code, ...told.code }, options });
}

function budgetOf(name: string, budget: Budget | undefined): JsonObject {
  const fault = budget === undefined ? undefined : budgetFault(budget);
  if (fault !== undefined) throw invalid(`step "${name}"`, `has a budget that cannot be kept: ${fault}`);
  return budget === undefined ? {} : { budget: plainOf<JsonObject>(name, 'the budget', budget) };
}

function workerOf(name: string, field: string, worker: unknown): { readonly role?: string; readonly code?: Pick<StepCode, 'agent'> } {
  if (typeof worker === 'string' && worker !== '') return { role: worker };
  const live = worker as StepCode['agent'];
  if (typeof live !== 'object' || live === null || typeof live.execute !== 'function') {
    throw invalid(`step "${name}"`, `has no ${field}; give the name of a role, or an object with execute(context)`);
  }
  return { code: { agent: live } };
}

function toldOf(name: string, context: unknown): { readonly config?: JsonObject; readonly code?: Pick<StepCode, 'context'> } {
  if (context === undefined) return {};
  if (typeof context === 'function') return { code: { context: context as NonNullable<StepCode['context']> } };
  return { config: { context: plainOf<Json>(name, 'the context', context) } };
}

/** Stages that are checked, with a step that mends between rounds. */
export function buildValidate(name: string, spec: ValidateSpec): BoundStep {
  const { stages, retry = MENDING_ROUNDS, onFailure, ...options } = spec;
  const config = { stages: typeof stages === 'object' ? [...stages] : (stages ?? null), retry };
  if (onFailure !== undefined) noteUsed(onFailure);
  const members = onFailure === undefined ? [] : [onFailure.bound];
  for (const member of members) checkMember(`the validation "${name}"`, member);
  return createBoundStep({ name, kind: 'validate', config, members, options });
}
