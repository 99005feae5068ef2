// Owns how a step of a flow becomes a model and its code: the defaults of its kind and the shared options. The model is
// plain frozen data; functions and live objects are only in the code.

import { type Duration, parseDuration } from '../../base/duration.ts';
import { EngineError, messageOf } from '../../base/error.ts';
import { present } from '../../base/fields.ts';
import { deepFreeze, isJsonObject, type Json, type JsonObject, toPlain } from '../../base/json.ts';
import { knowingChecks } from '../../definition/check.ts';
import { type BoundStep, type ConditionCheck, NO_CODE, type StepCode, type StepContext } from '../../definition/code.ts';
import { type DatabasesSpec, databasesFault } from '../../definition/database.ts';
import { parseForgeAction } from '../../definition/forge/forge-action.ts';
import type { KindRegistry, KindReport } from '../../definition/kind.ts';
import type { ConditionModel, OutputModel, RetryPolicy, StepFrame, StepModel, StepWork } from '../../definition/model.ts';
import { plainFrame } from '../../definition/plain-frame.ts';
import { expressionOf } from '../../definition/scope/scope.ts';
import { STEP } from '../graph/shape.ts';
import { createTask } from '../graph/task.ts';
import { checkOptions } from '../spec/option.ts';
import { readOutputs } from '../spec/output.ts';
import type { OutputFields, OutputSpec, Retry, SharedFields, Undo, UndoWork } from '../spec/part.ts';
import { isFields, readFields, type ShapeFault } from '../spec/shape.ts';

/** A condition of a contract: an expression, or a function that checks something. */
export interface FlowCondition {
  readonly name: string;
  readonly check: string | ((ctx: StepContext) => boolean | Promise<boolean>);
  /** The message for the worker that has to fix it. Default: built from the name. */
  readonly error?: string;
}

type Frame = SharedFields<StepContext, never, Duration> & OutputFields<StepContext>;
type Options =
  | 'title'
  | 'retry'
  | 'timeout'
  | 'recovery'
  | 'reconcile'
  | 'contractRetries'
  | 'slots'
  | 'outputs'
  | 'fresh'
  | 'protected'
  | 'mayChange'
  | 'writes'
  | 'network'
  | 'mutatesCheckout'
  | 'staged'
  | 'databases'
  | 'onFail';

/** The fields of every kind of step. */
export type StepOptions = { readonly [Option in Exclude<Options, 'fresh'>]?: Frame[Option] } & {
  /** Files among the outputs must change in each visit of the step; left out: since it first began in the run. */
  readonly fresh?: 'activation';
  readonly preconditions?: readonly FlowCondition[];
  readonly postconditions?: readonly FlowCondition[];
  /** Undoes the result when the run fails, is rejected or is cancelled. The latest work is undone first. */
  readonly undo?: Undo<StepContext>;
};

const OPTIONS = Object.keys({
  title: true,
  retry: true,
  timeout: true,
  recovery: true,
  reconcile: true,
  preconditions: true,
  postconditions: true,
  contractRetries: true,
  slots: true,
  outputs: true,
  fresh: true,
  protected: true,
  mayChange: true,
  writes: true,
  network: true,
  mutatesCheckout: true,
  staged: true,
  undo: true,
  databases: true,
  onFail: true,
} satisfies Record<keyof StepOptions, true>);

/** What a kind of step adds to the shared options. */
export interface StepParts {
  readonly name: string;
  readonly work: StepWork;
  readonly frame?: Pick<StepFrame, 'supportsQuestions' | 'questionState'>;
  readonly code?: Partial<Omit<StepCode, 'preconditions' | 'postconditions'>>;
  readonly options?: StepOptions;
  /** The names of its own fields, which may appear together with the shared options. */
  readonly fields?: readonly string[];
}

const BACKOFF_MAX = '1h';

/** The step with its kind's defaults and its options. */
export function createBoundStep(parts: StepParts, registry: KindRegistry): BoundStep {
  const { name, work, frame = {}, code = {}, options = {}, fields = [] } = parts;
  checkOptions(`step "${name}"`, options, [...fields, ...OPTIONS]);
  const model: StepModel = {
    ...plainFrame(name, registry.kinds[work.kind].recovery),
    ...frame,
    ...work,
  };
  checkConfig({ model, code }, registry);
  return withOptions({ model, code: { ...NO_CODE, ...code } }, options);
}

// A fan-out over an empty list is valid here, because the list is known only when the step is yielded.
function checkConfig(
  { model, code }: { readonly model: StepModel; readonly code: Partial<StepCode> },
  { kinds, checks }: KindRegistry,
): void {
  if (model.kind === 'parallel') return;
  const faults: string[] = [];
  const report: KindReport = {
    fault: (message, hint) => faults.push(`${message}; ${hint}`),
    expression: (source, what) => checkExpression(`${what} of step "${model.id}"`, source),
    check: (name) => (Object.hasOwn(checks, name) ? checks[name] : undefined),
  };
  kinds[model.kind].validate(model, knowingChecks(report, code.checks));
  if (faults.length > 0) throw invalid(`step "${model.id}"`, `cannot be built: ${faults.join('. ')}`);
}

function checkExpression(what: string, source: string): void {
  try {
    expressionOf(source);
  } catch (error) {
    throw new EngineError('DEFINITION_INVALID', `${what} is not a valid expression: ${messageOf(error)}`, { cause: error });
  }
}

/** Throws if a step cannot be part of a group; the message begins with `group`. */
export function checkMember(group: string, { model }: BoundStep): void {
  if (model.kind !== 'parallel' && model.kind !== 'each') return;
  throw invalid(group, `cannot hold step "${model.id}", which is a group itself; yield that one by itself`);
}

/** The types of the options; `retryPolicy` checks the other one. */
const { retry: _, ...OPTION_SHAPES } = STEP;

/** The same step with some of its options changed. */
export function withOptions(bound: BoundStep, options: StepOptions): BoundStep {
  const step = `step "${bound.model.id}"`;
  readFields(OPTION_SHAPES, options, { path: '', fault: refusal(step) });
  const reconcile = options.reconcile ?? bound.code.reconcile;
  const undo = options.undo === undefined ? undefined : readUndo(step, options.undo);
  const model: StepModel = { ...bound.model, ...modelOptions(step, options), ...present({ undo: undo?.model }) };
  if (model.recovery === 'reconcile' && reconcile === undefined) {
    throw invalid(step, 'has the recovery policy "reconcile" but no function for it; give one as `reconcile`, or choose "rerun" or "ask"');
  }
  const outputs = options.outputs === undefined ? undefined : readOutputs(options.outputs);
  const code: StepCode = {
    ...bound.code,
    ...(outputs?.finds === undefined ? {} : { finds: outputs.finds }),
    ...present({ reconcile }),
    ...(options.preconditions === undefined ? {} : { preconditions: checksOf(options.preconditions) }),
    ...(options.postconditions === undefined ? {} : { postconditions: checksOf(options.postconditions) }),
    ...present({ undo: undo?.code }),
  };
  return Object.freeze({ model: deepFreeze(model), code: freezeCode(code) });
}

/** Reads the undo of a step. Texts of a program's variables and of an action may be templates. */
function readUndo(step: string, undo: Undo<StepContext>): BoundStep {
  const given: UndoWork<StepContext> = typeof undo === 'function' ? { handler: undo } : undo;
  checkOptions(`the undo of ${step}`, given, ['title', 'timeout', 'recovery', 'handler', 'command', 'env', 'cwd', 'forge']);
  const { title = 'undo', timeout, recovery } = given;
  const frame = {
    ...plainFrame('undo', recovery ?? ('forge' in given ? 'rerun' : 'ask')),
    title,
    ...(timeout === undefined ? {} : { timeoutMs: parseDuration(timeout, `the undo of ${step}, timeout`) }),
  };
  if ('handler' in given && typeof given.handler === 'function')
    return { model: { ...frame, kind: 'task', config: {} }, code: { ...NO_CODE, run: createTask(given.handler, { step: 'undo' }) } };
  if ('forge' in given)
    return { model: { ...frame, kind: 'action', config: parsedOf(step, given.forge, parseForgeAction), templates: true }, code: NO_CODE };
  if ('command' in given) {
    const { command, env, cwd } = given;
    const program = typeof command === 'string' ? { run: command } : { argv: command };
    return {
      model: { ...frame, kind: 'command', config: plainOf(step, 'the undo', present({ ...program, env, cwd })), templates: true },
      code: NO_CODE,
    };
  }
  throw invalid(`the undo of ${step}`, 'does nothing; give a function, or `handler`, `command` or `forge`');
}

function modelOptions(step: string, options: StepOptions): Partial<StepFrame> {
  return {
    ...present({ title: options.title }),
    ...(options.retry === undefined ? {} : { retry: retryPolicy(step, options.retry) }),
    ...(options.timeout === undefined ? {} : { timeoutMs: parseDuration(options.timeout, `${step}, timeout`) }),
    ...present({ recovery: options.recovery }),
    ...(options.preconditions === undefined ? {} : { preconditions: options.preconditions.map(conditionModel) }),
    ...(options.postconditions === undefined ? {} : { postconditions: options.postconditions.map(conditionModel) }),
    ...(options.contractRetries === undefined ? {} : { contractRetries: countOf(step, 'contractRetries', options.contractRetries) }),
    ...(options.slots === undefined ? {} : { slots: [...options.slots] }),
    ...(options.outputs === undefined ? {} : { outputs: outputModels(step, options.outputs) }),
    ...(options.fresh === undefined ? {} : { fresh: freshOf(step, options.fresh) }),
    ...(options.protected === undefined ? {} : { protected: [...options.protected] }),
    ...(options.mayChange === undefined ? {} : { mayChange: [...options.mayChange] }),
    ...(options.writes === undefined ? {} : { writes: [...options.writes] }),
    ...present({ network: options.network, mutatesCheckout: options.mutatesCheckout, staged: options.staged }),
    ...(options.databases === undefined ? {} : { databases: checkedDatabases(step, options.databases) }),
    ...present({ onFail: options.onFail }),
  };
}

/** Returns the databases of a step, or throws an error that says what is wrong. */
export function checkedDatabases(subject: string, databases: DatabasesSpec): DatabasesSpec {
  const fault = databasesFault(databases as unknown as Json);
  if (fault !== undefined) throw invalid(subject, `cannot be built: \`databases\` ${fault}`);
  return databases;
}

function freshOf(step: string, fresh: unknown): 'activation' {
  if (fresh === 'activation') return fresh;
  throw invalid(
    step,
    `has fresh: ${JSON.stringify(fresh)}; a flow does not know its later steps when it starts, so only "activation" is possible`,
  );
}

function outputModels(step: string, outputs: readonly OutputSpec[]): readonly OutputModel[] {
  const { models, faults } = readOutputs(outputs);
  if (faults.length > 0) throw invalid(step, `cannot be built: ${faults.join('. ')}`);
  return models;
}

function retryPolicy(step: string, retry: Retry<Duration>): RetryPolicy {
  if (typeof retry !== 'number' && !isFields(retry))
    throw invalid(step, `has retry: ${JSON.stringify(retry)}; write a number, or an object such as { max: 2 }`);
  const { max, on = ['error'], backoff } = typeof retry === 'number' ? { max: retry } : retry;
  if (typeof retry === 'object') checkOptions(`${step}, retry`, retry, ['max', 'on', 'backoff']);
  const times = { max: countOf(step, 'retry', max), on: [...on] };
  if (backoff === undefined) return times;
  if (typeof backoff !== 'object' || backoff === null) {
    const written = JSON.stringify(backoff);
    throw invalid(step, `has a retry with backoff: ${written}; write backoff: { initial: ${written} }`);
  }
  checkOptions(`${step}, retry.backoff`, backoff, ['initial', 'factor', 'max']);
  const initialMs = parseDuration(backoff.initial, `${step}, retry.backoff.initial`);
  const maxMs = parseDuration(backoff.max ?? BACKOFF_MAX, `${step}, retry.backoff.max`);
  return { ...times, backoff: { initialMs, factor: backoff.factor ?? 2, maxMs } };
}

function conditionModel(condition: FlowCondition): ConditionModel {
  const { name, check, error } = condition;
  checkOptions(`the condition "${name}"`, condition, ['name', 'check', 'error']);
  if (typeof check === 'string') checkExpression(`the condition "${name}"`, check);
  const model = { name, error: error ?? `"${name}" does not hold` };
  return typeof check === 'string' ? { ...model, expression: check } : model;
}

function checksOf(conditions: readonly FlowCondition[]): readonly (ConditionCheck | undefined)[] {
  return conditions.map(({ check }) => (typeof check === 'string' ? undefined : check));
}

// Only the containers are frozen: a live agent inside is the author's object and may keep state of its own.
function freezeCode(code: StepCode): StepCode {
  Object.freeze(code.preconditions);
  Object.freeze(code.postconditions);
  Object.freeze(code.members);
  return Object.freeze(code);
}

/** A whole number from 0 up, or an error that names the setting. */
export function countOf(step: string, setting: string, value: number): number {
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw invalid(step, `has ${setting}: ${JSON.stringify(value)}; write 0 or a positive integer`);
}

/** Returns plain JSON data of a step, or throws an error that names the step and the position. */
export function plainOf<T = Json>(step: string, what: string, value: unknown): T {
  return toPlain(value, `${what} of step "${step}"`) as unknown as T;
}

/** What the kind of a step parses from what the author wrote. */
export function parsedOf<Config>(step: string, value: unknown, parse: (plain: JsonObject) => Config): Config {
  const plain = plainOf(step, 'the configuration', value);
  if (!isJsonObject(plain)) throw invalid(`step "${step}"`, 'has a configuration that is not an object; give its fields by name');
  try {
    return parse(plain);
  } catch (error) {
    throw invalid(`step "${step}"`, `has a wrong configuration: ${messageOf(error)}`);
  }
}

/** Refuses the first field with a wrong type. */
export function refusal(subject: string): ShapeFault {
  return (_, message) => {
    throw invalid(`${subject}:`, message);
  };
}

/** The error of a step that cannot be built; `subject` names it. */
export function invalid(subject: string, problem: string): EngineError {
  return new EngineError('DEFINITION_INVALID', `${subject} ${problem}`);
}

// A path is `step#visit` or `group#visit/key`, so a name must not contain its separators.
const NAME = /^(?!@)[^#/\p{Cc}]{1,200}$/u;

/** The name of a step of a flow, or an error when it cannot be one. */
export function stepName(name: string): string {
  if (typeof name === 'string' && NAME.test(name)) return name;
  throw invalid(
    `the step name ${JSON.stringify(name)}`,
    'cannot be used; write 1 to 200 characters without "#", "/" and control characters, and no "@" at the beginning',
  );
}
