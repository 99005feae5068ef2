// Describes a workflow for the API: its graph, and its parameters as a JSON Schema, from which a form can be generated.

import type { DeepReadonly } from '../base/deep-readonly.ts';
import { omitUndefined } from '../base/fields.ts';
import type { Json, JsonObject } from '../base/json.ts';
import { describeGraph, type GraphDescription } from '../definition/describe.ts';
import type { ArgModel, Definition } from '../definition/model.ts';
import type { RunGraph, WorkflowDetail } from './contract.ts';

/** The description of a definition. */
export function workflowShape(
  definition: Definition,
): DeepReadonly<Pick<WorkflowDetail, 'name' | 'title' | 'description' | 'form' | 'params' | 'graph'>> {
  const { name, title, description, form, params } = definition;
  const graph = form === 'flow' ? null : shapeOf(describeGraph(definition));
  return { name, title, description, form, params: paramsSchema(params), graph };
}

/** The nodes and edges of a graph; members of a group are separate nodes. */
export function shapeOf({ nodes, arrows }: GraphDescription): DeepReadonly<Pick<RunGraph, 'nodes' | 'edges'>> {
  return {
    nodes: nodes.flatMap(({ id, title, kind, members }) => [
      { id, title, kind },
      ...members.map((member) => ({ id: member.id, title: member.title, kind: member.kind as string, group: id })),
    ]),
    edges: arrows.flatMap(({ from, to, on }) => (on.length === 0 ? ['ok'] : on).map((outcome) => ({ from, to, outcome }))),
  };
}

/** The parameters of a workflow as a JSON Schema. */
function paramsSchema(params: Readonly<Record<string, ArgModel>>): JsonObject {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(Object.entries(params).map(([name, model]) => [name, paramSchema(model)])),
    required: Object.entries(params).flatMap(([name, { required, default: value }]) => (required && value === undefined ? [name] : [])),
  };
}

function paramSchema({ type, description, default: value, min, max, choices }: ArgModel): JsonObject {
  return omitUndefined({
    type: type === 'json' ? undefined : type,
    description: description === '' ? undefined : description,
    default: value,
    minimum: min,
    maximum: max,
    enum: choices as Json | undefined,
  }) as JsonObject;
}
