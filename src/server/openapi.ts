// Owns the OpenAPI 3.1 description of the API, generated from the declared routes.

import * as z from 'zod';
import type { JsonObject } from '../base/json.ts';
import { PROBLEM_TYPE } from './problem.ts';
import type { Route } from './route.ts';

/** The JSON of an error response. */
const PROBLEM: JsonObject = {
  type: 'object',
  required: ['type', 'title', 'status', 'code', 'detail'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    code: { type: 'string', description: 'a code of docs/errors.md' },
    detail: { type: 'string', description: 'what happened, to which thing, and what to do next' },
    retry: { enum: ['never', 'auto', 'after-change'] },
    details: { type: 'object' },
  },
};

/** The description of some routes. */
export function openApiOf(routes: readonly Route[], version: string): JsonObject {
  const described = routes.filter(({ path }) => path.startsWith('/api/'));
  const paths = Map.groupBy(described, ({ path }) => path.replaceAll(/:(\w+)/g, '{$1}'));
  return {
    openapi: '3.1.0',
    info: { title: 'Pawl', version, description: 'Runs, approvals and workflows of one project.' },
    servers: [{ url: '/' }],
    security: [{ token: [] }, { session: [] }],
    paths: Object.fromEntries(
      [...paths].map(([path, of]) => [path, Object.fromEntries(of.map((route) => [route.method.toLowerCase(), operationOf(route)]))]),
    ),
    components: {
      schemas: { Problem: PROBLEM },
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'a personal token' },
        session: { type: 'apiKey', in: 'cookie', name: 'pawl_session' },
      },
    },
  };
}

function operationOf(route: Route): JsonObject {
  const { path, summary, scope, query, body, answer, content = 'application/octet-stream', status = 200, isRepeatable } = route;
  const named = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));
  const key = { name: 'Idempotency-Key', in: 'header', required: false, schema: { type: 'string', maxLength: 255 } };
  return {
    summary,
    operationId: operationIdOf(route),
    ...(scope === 'public' ? { security: [] } : { 'x-scope': scope }),
    parameters: [...named, ...queryOf(query), ...(isRepeatable === true ? [key] : [])],
    ...(body === undefined ? {} : { requestBody: { content: { 'application/json': { schema: schemaOf(body, 'input') } } } }),
    responses: {
      [String(status)]: {
        description: 'success',
        content: answer === undefined ? { [content]: {} } : { 'application/json': { schema: schemaOf(answer, 'output') } },
      },
      default: { description: 'an error', content: { [PROBLEM_TYPE]: { schema: { $ref: '#/components/schemas/Problem' } } } },
    },
  };
}

function operationIdOf({ method, path }: Route): string {
  const words = path.replace('/api/v1/', '').split(/[/:*]+/);
  return [method.toLowerCase(), ...words].filter((word) => word !== '').join('_');
}

function queryOf(query: z.ZodObject | undefined): JsonObject[] {
  if (query === undefined) return [];
  const { properties = {}, required = [] } = schemaOf(query, 'input') as { properties?: JsonObject; required?: string[] };
  return Object.entries(properties).map(([name, schema]) => ({ name, in: 'query', required: required.includes(name), schema }));
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonObject {
  const { $schema: _, ...described } = z.toJSONSchema(schema, { target: 'draft-2020-12', io, unrepresentable: 'any' });
  return described as JsonObject;
}
