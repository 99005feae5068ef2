// Owns the validation of values against a JSON Schema, limited to the keywords that describe answers of agents. Other
// keywords are rejected when the workflow is defined, so that none is silently ignored.

import { canonicalJson, isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { shortText } from '../../base/short-text.ts';

const TYPES: Readonly<Record<string, (value: Json) => boolean>> = {
  object: isJsonObject,
  array: Array.isArray,
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: Number.isSafeInteger,
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
};

const NOTES: ReadonlySet<string> = new Set(['$schema', 'title', 'description', 'default', 'examples', '$comment']);
const KEYWORDS: ReadonlySet<string> = new Set([
  ...NOTES,
  ...['type', 'enum', 'const', 'properties', 'required', 'additionalProperties', 'items', 'minItems', 'maxItems'],
  ...['minLength', 'maxLength', 'minimum', 'maximum', 'anyOf'],
]);

/** Returns what is wrong with a schema itself, or undefined if every part of it can be checked. */
export function schemaFault(schema: unknown, at = 'the schema'): string | undefined {
  if (typeof schema === 'boolean') return undefined;
  if (!isJsonObject(schema)) return `${at} must be an object`;
  const unknown = Object.keys(schema).find((keyword) => !KEYWORDS.has(keyword));
  if (unknown !== undefined)
    return `${at} has "${unknown}", which is not supported; use ${[...KEYWORDS].filter((word) => !NOTES.has(word)).join(', ')}`;
  const types = typesOf(schema);
  const type = types.find((name) => !Object.hasOwn(TYPES, name));
  if (type !== undefined) return `${at} has the unknown type "${type}"`;
  const inner: [string, Json][] = [
    ...Object.entries(isJsonObject(schema.properties) ? schema.properties : {}).map(([name, part]): [string, Json] => [
      `${at}.${name}`,
      part,
    ]),
    ...['items', 'additionalProperties'].flatMap((name): [string, Json][] =>
      schema[name] === undefined ? [] : [[`${at}.${name}`, schema[name]]],
    ),
    ...(Array.isArray(schema.anyOf) ? schema.anyOf : []).map((part, index): [string, Json] => [`${at}.anyOf[${index}]`, part as Json]),
  ];
  for (const [place, part] of inner) {
    const fault = schemaFault(part, place);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function typesOf({ type }: JsonObject): readonly string[] {
  return type === undefined ? [] : ((Array.isArray(type) ? type : [type]) as readonly string[]).map(String);
}

interface TypeNames {
  readonly object: JsonObject;
  readonly array: readonly Json[];
  readonly string: string;
  readonly number: number;
  readonly integer: number;
  readonly boolean: boolean;
  readonly null: null;
}

/** The type of the values that match a schema, as far as its keywords `type`, `enum`, `properties`, `required` and `items` say. */
export type FromSchema<Schema> = Schema extends { readonly enum: readonly (infer Value)[] }
  ? Value
  : Schema extends { readonly properties: infer Properties }
    ? FromProperties<Properties, Schema extends { readonly required: readonly (infer Name)[] } ? Name : never>
    : Schema extends { readonly items: infer Item }
      ? readonly FromSchema<Item>[]
      : Schema extends { readonly type: infer Name extends keyof TypeNames }
        ? TypeNames[Name]
        : Schema extends { readonly type: readonly (infer Name extends keyof TypeNames)[] }
          ? TypeNames[Name]
          : Json;

type FromProperties<Properties, Required> = {
  readonly [Name in keyof Properties as Name extends Required ? Name : never]: FromSchema<Properties[Name]>;
} & { readonly [Name in keyof Properties as Name extends Required ? never : Name]?: FromSchema<Properties[Name]> };

/** Whether a value matches a schema, from which its type follows. */
export function matchesSchema<Schema extends JsonObject, Value extends Json>(
  schema: Schema,
  value: Value,
): value is Value & FromSchema<Schema> {
  return schemaMismatch(schema, value) === undefined;
}

/** Returns why a value does not match a schema, with the path, or undefined if it does. */
export function schemaMismatch(schema: Json, value: Json, at = 'output'): string | undefined {
  if (schema === true || !isJsonObject(schema)) return schema === false ? `${at} must not be there` : undefined;
  const types = typesOf(schema);
  if (types.length > 0 && !types.some((type) => TYPES[type]?.(value) === true))
    return `${at} must be ${types.join(' or ')}, not ${kindOf(value)}`;
  if (Array.isArray(schema.enum) && !schema.enum.some((allowed) => isEqual(allowed as Json, value)))
    return `${at} must be one of ${schema.enum.map((allowed) => JSON.stringify(allowed)).join(', ')}, not ${shown(value)}`;
  if (schema.const !== undefined && !isEqual(schema.const, value))
    return `${at} must be ${JSON.stringify(schema.const)}, not ${shown(value)}`;
  if (Array.isArray(schema.anyOf) && schema.anyOf.every((part) => schemaMismatch(part as Json, value, at) !== undefined))
    return `${at} matches none of its alternatives`;
  return boundsFault(schema, value, at) ?? (isJsonObject(value) ? objectFault(schema, value, at) : listFault(schema, value, at));
}

function boundsFault(schema: JsonObject, value: Json, at: string): string | undefined {
  const { minLength, maxLength, minimum, maximum, minItems, maxItems } = schema;
  const size = typeof value === 'string' || Array.isArray(value) ? value.length : undefined;
  const [least, most, unit] = Array.isArray(value) ? [minItems, maxItems, 'items'] : [minLength, maxLength, 'characters'];
  if (size !== undefined && typeof least === 'number' && size < least) return `${at} must have at least ${least} ${unit}, but has ${size}`;
  if (size !== undefined && typeof most === 'number' && size > most) return `${at} must have at most ${most} ${unit}, but has ${size}`;
  if (typeof value !== 'number') return undefined;
  if (typeof minimum === 'number' && value < minimum) return `${at} must be at least ${minimum}, not ${value}`;
  return typeof maximum === 'number' && value > maximum ? `${at} must be at most ${maximum}, not ${value}` : undefined;
}

function objectFault(schema: JsonObject, value: JsonObject, at: string): string | undefined {
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  const missing = (Array.isArray(schema.required) ? schema.required : []).find((name) => !Object.hasOwn(value, String(name)));
  if (missing !== undefined) return `${at}.${String(missing)} is missing`;
  for (const [name, member] of Object.entries(value)) {
    const part = Object.hasOwn(properties, name) ? properties[name] : schema.additionalProperties;
    if (part === false) return `${at}.${name} is not allowed; use ${Object.keys(properties).join(', ') || 'nothing'}`;
    const fault = part === undefined ? undefined : schemaMismatch(part, member, `${at}.${name}`);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function listFault({ items }: JsonObject, value: Json, at: string): string | undefined {
  if (!Array.isArray(value) || items === undefined) return undefined;
  for (const [index, item] of value.entries()) {
    const fault = schemaMismatch(items, item as Json, `${at}[${index}]`);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function isEqual(one: Json, other: Json): boolean {
  return canonicalJson(one) === canonicalJson(other);
}

function kindOf(value: Json): string {
  return value === null ? 'null' : Array.isArray(value) ? 'a list' : `a ${typeof value}`;
}

const SHOWN_MAX = 60;

function shown(value: Json): string {
  return shortText(JSON.stringify(value), SHOWN_MAX);
}
