// Owns flows: workflows written as generator functions. The steps of a flow are known only as it runs, so its definition
// has the name, the parameters and the limits, and its steps appear in the run.

import { EngineError } from '../../base/error.ts';
import { omitUndefined } from '../../base/fields.ts';
import { deepFreeze } from '../../base/json.ts';
import type { CompiledWorkflow } from '../../definition/code.ts';
import { type CodeRole, hashCode, hashDefinition, sourceOf } from '../../definition/hash.ts';
import type { Definition } from '../../definition/model.ts';
import { type ArgSpecs, type ArgValues, bindParams } from '../../definition/param/arg.ts';
import { checkHeader } from '../../definition/validation/validate.ts';
import type { FlowYield } from '../../programs/flow-step.ts';
import { readHeader } from '../graph/header.ts';
import { Reading } from '../graph/reading.ts';
import { readHeaderFields, WORKFLOW } from '../graph/shape.ts';
import { checkOptions } from '../spec/option.ts';
import type { WorkflowFields } from '../spec/part.ts';
import { readTrigger } from '../spec/schedule.ts';
import type { WorkflowTypes } from '../spec/step.ts';
import { invalid } from './model.ts';
import type { ChildOutput } from './result.ts';

/** The generator function of a flow: it yields steps and returns the final output. */
export type FlowBody<Input, Returned> = (input: Input) => Generator<FlowYield, Returned, unknown>;

/** The return value of a flow must not be a step: it would never run. */
export type YieldsSteps<Returned> =
  Extract<Returned, FlowYield> extends never ? unknown : 'a flow returns a step that it never ran: write yield* before it';

/** A workflow as a value: compiled, or an object that has it as `compiled`. */
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

const NOT_OF_FLOWS = ['data', 'facts', 'onError', 'recovery'];
const OPTIONS = [...Object.keys(WORKFLOW).filter((field) => !NOT_OF_FLOWS.includes(field)), 'children'];

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
  const definition = definitionOf(name, options);
  const { context, trigger } = options;
  const roles: CodeRole[] = [{ role: 'flow', source: sourceOf(body) }];
  if (context !== undefined) roles.push({ role: 'context', source: sourceOf(context) });
  return Object.freeze({
    definition,
    hash: hashDefinition(definition),
    codeHash: hashCode(roles),
    code: new Map(),
    flow: (input: never) => body(bindParams(definition.params, input, `workflow "${name}"`) as never),
    ...omitUndefined({ context }),
    ...(trigger === undefined ? {} : readTrigger(definition, trigger)),
    children: childrenOf(name, options.children ?? []),
  });
}

function checkBody(name: string, body: FlowBody<never, unknown> | undefined): asserts body is FlowBody<never, unknown> {
  if (typeof name !== 'string' || name.trim() === '')
    throw invalid('a flow', 'must have a name; write workflow("name", function* (input) { … })');
  if (typeof body !== 'function' || Object.prototype.toString.call(body) !== '[object GeneratorFunction]') {
    throw invalid(
      `workflow "${name}"`,
      'must be a generator function; write function* (input) { … } and yield* its steps (async work belongs in them)',
    );
  }
}

function definitionOf(name: string, options: FlowOptions<ArgSpecs>): Definition {
  const reading = new Reading();
  const header = readHeader({ ...readHeaderFields(options, reading.shapeFault()), name }, reading);
  const definition: Definition = { ...header, form: 'flow', steps: [] };
  checkHeader(definition, reading.problems);
  reading.problems.refuse(name);
  return deepFreeze(JSON.parse(JSON.stringify(definition)) as Definition);
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
