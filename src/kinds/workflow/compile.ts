// Owns how a `workflow` step is written: a child by its name or as a value, and what it is started with.

import { type WorkflowValue, compiledOf as workflowOf } from '../../authoring/flow/flow.ts';
import type { BuiltCall } from '../../authoring/flow/method.ts';
import { invalid, plainOf, type StepOptions, type StepParts } from '../../authoring/flow/model.ts';
import type { StepReading } from '../../authoring/graph/reading.ts';
import type { KindCompiler } from '../../authoring/graph/work.ts';
import type { ChildWorkflow } from '../../authoring/spec/part.ts';
import { COUNT, eitherShape, isFields, objectShape, plainShape, TEXT } from '../../authoring/spec/shape.ts';
import { present } from '../../base/fields.ts';
import { isJsonObject, type Json } from '../../base/json.ts';
import type { CompiledWorkflow, StepContext } from '../../definition/code.ts';
import type { WorkOf } from '../../definition/model.ts';
import type { ChildDispatch } from '../../definition/step-terms.ts';
import { duplicateWorkflow } from '../../definition/validation/children.ts';
import { workflow as declaration, UNNAMED } from './declare.ts';

const CHILD = eitherShape(
  TEXT,
  plainShape(
    'a workflow of defineWorkflow(…)',
    (value): value is object => isFields(value) && ('compiled' in value || 'definition' in value),
  ),
);

/** The kind `workflow`. */
export const workflow: KindCompiler = {
  ...declaration,
  field: 'workflow',
  flow: { workflow: { most: 3, first: CHILD, build } },
  shapes: {
    workflow: eitherShape(TEXT, objectShape<object>({}, { example: 'defineWorkflow(…)' })),
    dispatch: objectShape<ChildDispatch>(
      { agent: TEXT, returns: COUNT },
      { what: '`dispatch`', example: '{ agent: "writer", returns: 200 }', needs: ['agent', 'returns'] },
    ),
  },
  beside: ['input', 'dispatch'],
  literals: ({ input }: WorkOf<'workflow'>) => ({ input }),
  read({ workflow: given, input, dispatch }, { step }) {
    const child = compiledOf(given);
    if (child === undefined) {
      step.fault('KIND_INVALID', ...UNNAMED);
      return undefined;
    }
    const name = typeof child === 'string' ? child : child.definition.name;
    if (typeof child !== 'string') addChild(child, step);
    if (typeof input === 'function')
      return {
        work: { kind: 'workflow', workflow: name, input: null, ...present({ dispatch }) },
        code: { context: step.code('input', input) },
      };
    return { work: { kind: 'workflow', workflow: name, input: step.plain(input ?? {}, 'its input'), ...present({ dispatch }) } };
  },
};

/** The name or the workflow itself; undefined for anything else. */
function compiledOf(child: ChildWorkflow | undefined): string | CompiledWorkflow | undefined {
  if (typeof child !== 'object' || child === null) return typeof child === 'string' ? child : undefined;
  if ('compiled' in child) return child.compiled;
  return 'definition' in child ? child : undefined;
}

function addChild(child: CompiledWorkflow, { graph, at }: StepReading): void {
  const { name } = child.definition;
  const other = graph.children.get(name);
  if (other !== undefined && (other.hash !== child.hash || other.codeHash !== child.codeHash))
    throw duplicateWorkflow(name, ['an earlier step', `step "${at}"`]);
  graph.children.set(name, child);
}

/** A child workflow with its inputs, as data or as a function that builds them. */
function build(name: string, [given, inputs, options = {}]: readonly [string | WorkflowValue, unknown?, StepOptions?]): BuiltCall {
  const child = typeof given === 'string' ? undefined : workflowOf(given);
  return { parts: childParts(name, child?.definition.name ?? String(given), { inputs, options }), ...present({ child }) };
}

function childParts(
  name: string,
  child: string,
  { inputs, options }: { readonly inputs: unknown; readonly options: StepOptions },
): StepParts {
  if (typeof inputs === 'function') {
    const context = inputs as (ctx: StepContext) => unknown;
    return { name, work: { kind: 'workflow', workflow: child, input: null }, code: { context }, options };
  }
  const input = plainOf<Json>(name, 'the input', inputs ?? {});
  if (!isJsonObject(input))
    throw invalid(`step "${name}"`, `gives workflow "${child}" an input that is not an object; give values by name`);
  return { name, work: { kind: 'workflow', workflow: child, input }, options };
}
