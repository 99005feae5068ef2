// Owns GitHub's own description of its API (`description.json`): which operation a request is, whether request and
// response are as described, and the fields of a response that a test does not care about.
//
// A handler gives only the fields that matter. The others that the description requires are filled in, and a field that
// the description does not have is an error: a response cannot drift from what GitHub sends.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';

/** JSON of any shape. */
export type Data = Record<string, unknown>;

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly minLength?: number;
}

/** An operation of the API. */
export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, Schema>>;
  readonly body?: Schema;
  readonly responses: Readonly<Record<string, Schema | null>>;
}

/** A request that the description has. */
export interface Matched {
  readonly operation: Operation;
  readonly params: Readonly<Record<string, string>>;
}

const { operations, schemas } = JSON.parse(readFileSync(join(import.meta.dirname, 'description.json'), 'utf8')) as {
  operations: Record<string, Omit<Operation, 'id'>>;
  schemas: Record<string, Schema>;
};
const ajv = new Ajv({ strict: false, validateFormats: false, allowUnionTypes: true, inlineRefs: false });
ajv.addSchema({ $id: 'github', schemas });
const validators = new Map<string, ValidateFunction>();

const ROUTES = Object.entries(operations).map(([id, operation]) => {
  const names: string[] = [];
  const pattern = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    names.push(name);
    return ['ref', 'basehead', 'branch'].includes(name) ? '(.+?)' : '([^/]+)';
  });
  return { operation: { id, ...operation }, names, pattern: new RegExp(`^${pattern}$`) };
});

/** Finds the operation of a request. */
export function matchOperation(method: string, path: string): Matched | undefined {
  for (const { operation, names, pattern } of ROUTES) {
    const match = operation.method === method ? pattern.exec(path) : null;
    if (match !== null)
      return { operation, params: Object.fromEntries(names.map((name, index) => [name, decodeURIComponent(match[index + 1] ?? '')])) };
  }
  return undefined;
}

/** Returns the faults of a request. */
export function requestFaults({ operation }: Matched, query: URLSearchParams, body: unknown): string[] {
  const unknown = [...query.keys()].filter((name) => operation.query[name] === undefined);
  const { body: schema } = operation;
  const faults = schema === undefined || body === undefined ? [] : faultsOf(`${operation.id}/body`, schema, body);
  return [...unknown.map((name) => `it has no query parameter "${name}"`), ...faults].map((fault) => `${operation.id}: ${fault}`);
}

/** Completes a response, and returns its faults. */
export function completeResponse(
  { operation }: Matched,
  { status, data }: { readonly status: number; readonly data: unknown },
): { readonly data: unknown; readonly faults: readonly string[] } {
  const schema = operation.responses[String(status)];
  if (schema === undefined) return { data, faults: status >= 400 ? [] : [`${operation.id}: it has no response ${status}`] };
  if (schema === null || status >= 400) return { data, faults: [] };
  const unknown: string[] = [];
  const whole = fill(schema, data, { path: operation.id, unknown });
  return { data: whole, faults: [...unknown, ...faultsOf(`${operation.id}/${status}`, schema, whole)] };
}

function faultsOf(name: string, schema: Schema, data: unknown): string[] {
  let validate = validators.get(name);
  if (validate === undefined) {
    validate = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/schemas/', '"github#/schemas/')) as object);
    validators.set(name, validate);
  }
  if (validate(data)) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${name}${instancePath} ${message}`);
}

interface Place {
  readonly path: string;
  readonly unknown: string[];
}

function resolve(schema: Schema): Schema {
  if (schema.$ref !== undefined) return resolve(schemas[schema.$ref.slice('#/schemas/'.length)] as Schema);
  if (schema.allOf === undefined) return schema;
  const parts = [...schema.allOf.map(resolve), { ...schema, allOf: undefined }];
  return {
    type: 'object',
    properties: Object.assign({}, ...parts.map(({ properties }) => properties ?? {})),
    required: parts.flatMap(({ required }) => required ?? []),
  };
}

function fill(given: Schema, value: unknown, place: Place): unknown {
  const schema = resolve(given);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) {
    if (value === null || (value === undefined && choices.some(({ type }) => type === 'null'))) return null;
    return fill(choiceFor(choices, value), value, place);
  }
  const types = [schema.type ?? (schema.properties === undefined ? undefined : 'object')].flat();
  if (value === null || (value === undefined && types.includes('null'))) return null;
  if (types.includes('array')) return ((value as unknown[] | undefined) ?? []).map((one) => fill(schema.items ?? {}, one, place));
  if (types.includes('object') && (value === undefined || typeof value === 'object'))
    return fillObject(schema, (value ?? {}) as Data, place);
  return value ?? plainValue(schema, types);
}

function fillObject(schema: Schema, value: Data, { path, unknown }: Place): Data {
  const { properties = {}, required = [] } = schema;
  const isOpen = schema.properties === undefined || typeof schema.additionalProperties === 'object';
  for (const name of Object.keys(value)) if (properties[name] === undefined && !isOpen) unknown.push(`${path} has no field "${name}"`);
  const names = new Set([...required, ...Object.keys(value)]);
  return Object.fromEntries(
    [...names].map((name) => [name, fill(properties[name] ?? {}, value[name], { path: `${path}.${name}`, unknown })]),
  );
}

// The first choice that has all given fields.
function choiceFor(choices: readonly Schema[], value: unknown): Schema {
  const kind = value === undefined ? undefined : Array.isArray(value) ? 'array' : typeof value;
  const fits = (schema: Schema): boolean => {
    const { type, properties, anyOf, oneOf, enum: words } = resolve(schema);
    if (anyOf !== undefined || oneOf !== undefined) return (anyOf ?? oneOf ?? []).some(fits);
    if (kind === undefined) return type !== 'null';
    if (words !== undefined && !words.includes(value)) return false;
    const types = [type ?? (properties === undefined ? undefined : 'object')].flat();
    if (!types.includes(kind) && !(kind === 'number' && types.includes('integer')) && types[0] !== undefined) return false;
    if (kind !== 'object' || properties === undefined) return true;
    const named = (properties.type?.enum ?? [])[0];
    if (named !== undefined && (value as Data).type !== undefined && named !== (value as Data).type) return false;
    return Object.keys(value as Data).every((name) => properties[name] !== undefined);
  };
  return choices.find(fits) ?? (choices[0] as Schema);
}

function plainValue({ enum: words, format, minLength }: Schema, types: readonly (string | undefined)[]): unknown {
  if (words !== undefined) return words[0];
  if (types.includes('boolean')) return false;
  if (types.includes('integer') || types.includes('number')) return 0;
  if (format === 'uri') return 'https://github.example/';
  if (format === 'date-time') return '2026-01-01T00:00:00Z';
  return 'x'.repeat(minLength ?? 0);
}
