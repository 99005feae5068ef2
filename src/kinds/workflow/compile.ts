// Compiles a `workflow` step: a child by its name or as a value, and its input.

import { type WorkflowValue, compiledOf as workflowOf } from '../../authoring/flow/flow.ts';
import { type FlowSpec, invalid, type StepOptions } from '../../authoring/flow/model.ts';
import type { StepReading } from '../../authoring/graph/reading.ts';
import type { KindCompiler } from '../../authoring/graph/work.ts';
import type { ChildWorkflow } from '../../authoring/spec/part.ts';
import { COUNT, eitherShape, isFields, objectShape, plainShape, TEXT } from '../../authoring/spec/shape.ts';
import { omitUndefined } from '../../base/fields.ts';
import type { CompiledWorkflow } from '../../definition/code.ts';
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

/** Compiles `workflow` steps. */
export const workflow: KindCompiler = {
  ...declaration,
  field: 'workflow',
  flow: { workflow: { most: 3, first: CHILD, write: childOf } },
  shapes: {
    workflow: eitherShape(TEXT, objectShape<object>({}, { example: 'defineWorkflow(…)' })),
    dispatch: objectShape<ChildDispatch>(
      { agent: TEXT, returns: COUNT },
      { label: '`dispatch`', example: '{ agent: "writer", returns: 200 }', needs: ['agent', 'returns'] },
    ),
  },
  beside: ['input', 'dispatch'],
  literals: ({ input }: WorkOf<'workflow'>) => ({ input }),
  read({ workflow: value, input, dispatch }, { step }) {
    const child = compiledOf(value);
    if (child === undefined) {
      step.fault('KIND_INVALID', ...UNNAMED);
      return undefined;
    }
    const name = typeof child === 'string' ? child : child.definition.name;
    if (typeof child !== 'string') addChild(child, step);
    if (typeof input === 'function')
      return {
        work: { kind: 'workflow', workflow: name, input: null, ...omitUndefined({ dispatch }) },
        code: { context: step.code('input', input) },
      };
    return { work: { kind: 'workflow', workflow: name, input: step.plain(input ?? {}, '`input`'), ...omitUndefined({ dispatch }) } };
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

function childOf([child, input, options]: readonly [string | WorkflowValue, unknown?, StepOptions?], name: string): FlowSpec {
  if (!(input === undefined || input === null || typeof input === 'function' || isFields(input))) {
    const called = typeof child === 'string' ? child : workflowOf(child).definition.name;
    throw invalid(`step "${name}"`, `gives workflow "${called}" an input that is not an object; give values by name`);
  }
  return { fields: { workflow: child, input }, options };
}
