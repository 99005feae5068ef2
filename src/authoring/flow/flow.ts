// Owns flows: workflows written as generator functions. The steps of a flow are known only as it runs, so its definition
// has the name, the parameters and the limits, and its steps appear in the run.

import { EngineError } from '../../base/error.ts';
import { present } from '../../base/fields.ts';
import { deepFreeze } from '../../base/json.ts';
import { breakersFault, breakersOf } from '../../definition/breakers.ts';
import { budgetFault } from '../../definition/budget.ts';
import type { CompiledWorkflow } from '../../definition/code.ts';
import { type WriteLimits, writesFault } from '../../definition/forge/forge-write.ts';
import { type CodeRole, hashCode, hashDefinition, sourceOf } from '../../definition/hash.ts';
import type { Definition } from '../../definition/model.ts';
import { type ArgSpecs, type ArgValues, arg, argFaults, bindParams } from '../../definition/param/arg.ts';
import { sharedVariables } from '../../definition/scope/param-variables.ts';
import { checkReactions } from '../../definition/trigger/reaction.ts';
import { ProblemList } from '../../definition/validation/problem.ts';
import type { FlowYield } from '../../programs/flow-step.ts';
import { readHeaderFields } from '../graph/shape.ts';
import { checkOptions } from '../spec/option.ts';
import type { WorkflowFields } from '../spec/part.ts';
import { readReactions, unknownInReactions } from '../spec/reaction.ts';
import { readStarts } from '../spec/schedule.ts';
import type { WorkflowTypes } from '../spec/step.ts';
import { checkedDatabases, countOf, invalid, refusal } from './model.ts';
import type { ChildOutput } from './result.ts';

/** The generator function of a flow: it yields steps and returns the final output. */
export type FlowBody<Input, Returned> = (input: Input) => Generator<FlowYield, Returned, unknown>;

/** What a flow returns must be no step: it would never run. */
export type YieldsSteps<Returned> =
  Extract<Returned, FlowYield> extends never ? unknown : 'a flow returns a step that it never ran: write yield* before it';

/** A workflow as a value: compiled, or an object with a compiled one. */
export type WorkflowValue<Compiled extends CompiledWorkflow = CompiledWorkflow> = Compiled | { readonly compiled: Compiled };

/** Options of a flow. */
export interface FlowOptions<Params extends ArgSpecs>
  extends Omit<WorkflowFields<Params, never>, 'context' | 'data' | 'facts' | 'onError' | 'recovery'> {
  /** Builds the application's part of the context, once per attempt. */
  readonly context?: NonNullable<CompiledWorkflow['context']>;
  /** Workflows that the flow starts, so that they are known before it runs. */
  readonly children?: readonly WorkflowValue[];
}

/** A compiled flow with the types of its input and its return value. */
export interface FlowWorkflow<Input, Returned> extends CompiledWorkflow, WorkflowTypes<Partial<Input>, ChildOutput<Returned>> {
  readonly flow: (input: never) => Generator<unknown, unknown, unknown>;
}

const ITERATIONS_MAX = 10;
const OPTIONS = Object.keys({
  title: true,
  description: true,
  params: true,
  limits: true,
  concurrency: true,
  budget: true,
  protected: true,
  databases: true,
  permissions: true,
  writes: true,
  staged: true,
  snapshot: true,
  context: true,
  trigger: true,
  version: true,
  onEvents: true,
  circuitBreakers: true,
  children: true,
} satisfies Record<keyof FlowOptions<ArgSpecs>, true>);

/** Compiles a generator function; its parameters are bound, with their defaults, before the first step. */
export function compileFlow<Returned>(
  name: string,
  body: FlowBody<ArgValues<Record<never, never>>, Returned>,
): FlowWorkflow<ArgValues<Record<never, never>>, Returned>;
export function compileFlow<Params extends ArgSpecs, Returned>(
  name: string,
  options: FlowOptions<Params>,
  body: FlowBody<ArgValues<Params>, Returned>,
): FlowWorkflow<ArgValues<Params>, Returned>;
export function compileFlow(
  name: string,
  first: FlowOptions<ArgSpecs> | FlowBody<never, unknown>,
  second?: FlowBody<never, unknown>,
): FlowWorkflow<never, unknown> {
  const options = typeof first === 'function' ? {} : first;
  const body = typeof first === 'function' ? first : second;
  checkBody(name, body);
  checkOptions(`workflow "${name}"`, options, OPTIONS);
  readHeaderFields(options, refusal(`workflow "${name}"`));
  checkOptions(`workflow "${name}", limits`, options.limits ?? {}, ['maxIterations']);
  const definition = definitionOf(name, options);
  const { context, trigger } = options;
  const roles: CodeRole[] = [{ step: '', role: 'flow', source: sourceOf(body) }];
  if (context !== undefined) roles.push({ step: '', role: 'context', source: sourceOf(context) });
  return Object.freeze({
    definition,
    hash: hashDefinition(definition),
    codeHash: hashCode(roles),
    code: new Map(),
    flow: (input: never) => body(bindParams(definition.params, input, `workflow "${name}"`) as never),
    ...present({ context }),
    ...(trigger === undefined ? {} : readStarts(`workflow "${name}"`, trigger)),
    children: childrenOf(name, options.children ?? []),
  });
}

function checkBody(name: string, body: FlowBody<never, unknown> | undefined): asserts body is FlowBody<never, unknown> {
  if (typeof name !== 'string' || name.trim() === '')
    throw invalid('a flow', 'has no name; write workflow("name", function* (input) { … })');
  if (typeof body !== 'function' || Object.prototype.toString.call(body) !== '[object GeneratorFunction]') {
    throw invalid(
      `workflow "${name}"`,
      'is not a generator function; write function* (input) { … } and yield* its steps (async work belongs in them)',
    );
  }
}

function definitionOf(name: string, options: FlowOptions<ArgSpecs>): Definition {
  const { title = name, description = '', version, limits = {}, concurrency, budget, permissions, protected: guarded } = options;
  const params = Object.fromEntries(Object.entries(options.params ?? {}).map(([param, model]) => [param, arg(model)]));
  const faults = Object.entries(params).flatMap(([param, model]) => argFaults(model).map((fault) => `parameter "${param}": ${fault}`));
  for (const { variable, names } of sharedVariables(Object.keys(params)))
    faults.push(`${names.join(' and ')} would both be in ${variable}`);
  if (faults.length > 0) throw invalid(`workflow "${name}"`, `has parameters that cannot work: ${faults.join('; ')}`);
  const fault = budget === undefined ? undefined : budgetFault(budget);
  if (fault !== undefined) throw invalid(`workflow "${name}"`, `has an invalid budget: ${fault}`);
  checkReactionsOf(name, options);
  const broken = options.circuitBreakers === undefined ? undefined : breakersFault(breakersOf(options.circuitBreakers));
  if (broken !== undefined) throw invalid(`workflow "${name}"`, `has circuit breakers that cannot work: ${broken}`);
  const maxIterations = countOf(`workflow "${name}"`, 'limits.maxIterations', limits.maxIterations ?? ITERATIONS_MAX);
  return deepFreeze({
    name,
    title,
    description,
    ...present({ version }),
    form: 'flow',
    params,
    entry: '',
    steps: [],
    limits: { maxIterations },
    ...present({
      concurrency: concurrency && { ...concurrency },
      budget: budget && { ...budget },
      permissions: permissions && { ...permissions },
      writes: checkedWrites(name, options.writes),
      staged: options.staged,
      protected: guarded && [...guarded],
      databases: options.databases && checkedDatabases(`workflow "${name}"`, options.databases),
      snapshot: options.snapshot && { ...options.snapshot },
      onEvents: readReactions(options.onEvents),
      breakers: breakersOf(options.circuitBreakers),
    }),
  });
}

function checkReactionsOf(name: string, { onEvents }: FlowOptions<ArgSpecs>): void {
  const unknown = unknownInReactions(onEvents);
  const problems = new ProblemList();
  checkReactions({ form: 'flow', steps: [], ...present({ onEvents: readReactions(onEvents) }) }, problems);
  const [fault] = [...unknown, ...problems.found.map(({ message, hint }) => `${message}; ${hint}`)];
  if (fault !== undefined) throw invalid(`workflow "${name}"`, `has a reaction that cannot work: ${fault}`);
}

function checkedWrites(name: string, writes: WriteLimits | undefined): WriteLimits | undefined {
  const fault = writes === undefined ? undefined : writesFault(writes);
  if (fault !== undefined) throw invalid(`workflow "${name}"`, `has invalid limits: \`writes\` ${fault}`);
  return writes && { ...writes };
}

/** The compiled workflow of a value. */
export function compiledOf(child: WorkflowValue): CompiledWorkflow {
  return 'compiled' in child ? child.compiled : child;
}

function childrenOf(name: string, children: readonly WorkflowValue[]): ReadonlyMap<string, CompiledWorkflow> {
  const byName = new Map<string, CompiledWorkflow>();
  for (const child of children.map(compiledOf)) {
    const known = byName.get(child.definition.name);
    if (known !== undefined && known !== child) {
      throw new EngineError(
        'WORKFLOW_DUPLICATE',
        `workflow "${name}" lists two children named "${child.definition.name}"; rename one of them`,
      );
    }
    byName.set(child.definition.name, child);
  }
  return byName;
}
