// Walks the schema together with a document that may be invalid: finds the form of a union that the author meant, the schema
// that applies at a path, and how each string of the document is read.

import type * as z from 'zod';
import { omitUndefined } from '../../../base/fields.ts';
import type { Json } from '../../../base/json.ts';
import type { YamlPath } from '../position/position.ts';
import { type Note, noteOf } from './field.ts';

type Schema = z.core.$ZodType;

// The validator's type names of schemas; `instanceof` would walk the class chain each time.
const is = {
  optional: (schema: Schema): schema is z.ZodOptional => schema._zod.def.type === 'optional',
  union: (schema: Schema): schema is z.ZodUnion => schema._zod.def.type === 'union',
  object: (schema: Schema): schema is z.ZodObject => schema._zod.def.type === 'object',
  record: (schema: Schema): schema is z.ZodRecord => schema._zod.def.type === 'record',
  array: (schema: Schema): schema is z.ZodArray => schema._zod.def.type === 'array',
  enum: (schema: Schema): schema is z.ZodEnum => schema._zod.def.type === 'enum',
  string: (schema: Schema): schema is z.ZodString => schema._zod.def.type === 'string',
  number: (schema: Schema): schema is z.ZodNumber => schema._zod.def.type === 'number',
  boolean: (schema: Schema): schema is z.ZodBoolean => schema._zod.def.type === 'boolean',
  unknown: (schema: Schema): schema is z.ZodUnknown => schema._zod.def.type === 'unknown',
  literal: (schema: Schema): schema is z.ZodLiteral => schema._zod.def.type === 'literal',
};

/** A string of the document, and how the schema says it is read. */
export interface PlacedText {
  readonly path: YamlPath;
  readonly text: string;
  readonly note: Note;
}

/** The schema without the wrapper that makes a field optional. */
export function unwrapped(schema: Schema): Schema {
  return is.optional(schema) ? unwrapped(schema.unwrap()) : schema;
}

/** The form of a union that the author meant: by its type, by the words that tell forms apart, then by its fields. */
export function optionFor(union: z.ZodUnion, value: unknown): { readonly schema: Schema; readonly index: number } | undefined {
  let best: { schema: Schema; index: number; score: number } | undefined;
  union.options.forEach((option, index) => {
    const score = likeness(unwrapped(option), value);
    if (score > 0 && score > (best?.score ?? 0)) best = { schema: unwrapped(option), index, score };
  });
  return best;
}

/** How similar a value is to what the schema describes; 0 is not at all. */
function likeness(schema: Schema, value: unknown): number {
  if (is.union(schema)) {
    const own = Math.max(...schema.options.map((option) => likeness(unwrapped(option), value)));
    return 'discriminator' in schema.def && own < KNOWN ? 0 : own;
  }
  if (is.object(schema)) return isMap(value) ? objectLikeness(schema, value) : 0;
  if (is.record(schema)) return isMap(value) ? 1 : 0;
  if (is.array(schema)) return Array.isArray(value) ? 1 : 0;
  if (is.enum(schema) || is.string(schema)) return typeof value === 'string' ? 1 : 0;
  if (is.number(schema)) return typeof value === 'number' ? 1 : 0;
  if (is.boolean(schema)) return typeof value === 'boolean' ? 1 : 0;
  return is.unknown(schema) ? 1 : 0;
}

/** A matching literal outweighs any number of fields. */
const KNOWN = 100;

function objectLikeness(schema: z.ZodObject, value: Readonly<Record<string, unknown>>): number {
  let score = 1;
  for (const { key, literals, isOptional } of fieldsOf(schema)) {
    const given = Object.hasOwn(value, key) ? value[key] : undefined;
    if (literals !== undefined) score += literals.has(given) || (given === undefined && isOptional) ? KNOWN : -KNOWN;
    // A required field identifies the form.
    else if (given !== undefined) score += isOptional ? 1 : 10;
  }
  return Math.max(score, 0);
}

interface Field {
  readonly key: string;
  /** The allowed words of the field, if it selects the form. */
  readonly literals?: ReadonlySet<unknown>;
  readonly isOptional: boolean;
}

/** The fields of a map and the roles of strings, cached because they are needed for every value of every file. */
const fields = new WeakMap<Schema, readonly Field[]>();
const roles = new WeakMap<Schema, Note>();

function fieldsOf(schema: z.ZodObject): readonly Field[] {
  const known = fields.get(schema);
  if (known !== undefined) return known;
  const found = Object.entries<Schema>(schema.shape).map(([key, field]) => {
    const inner = unwrapped(field);
    return { key, isOptional: inner !== field, ...(is.literal(inner) ? { literals: inner.values as ReadonlySet<unknown> } : {}) };
  });
  fields.set(schema, found);
  return found;
}

/** The schema at a path of the document. */
export interface SchemaNode {
  readonly value: unknown;
  /** The declared schema, which may be a union of forms. */
  readonly declared: Schema;
  /** The form of it that the author meant. */
  readonly meant: Schema;
}

/** The schema at a path of the document, if it knows the path. */
export function schemaAt(root: Schema, document: unknown, path: YamlPath): SchemaNode | undefined {
  let node: SchemaNode = { value: document, declared: unwrapped(root), meant: settled(unwrapped(root), document) };
  for (const part of path) {
    const child = childOf(node.meant, part);
    if (child === undefined) return undefined;
    const value = memberOf(node.value, part);
    const declared = unwrapped(child);
    node = { value, declared, meant: settled(declared, value) };
  }
  return node;
}

/** Every single form of a union, however deep unions are nested. */
export function formsOf(schema: Schema): Schema[] {
  const inner = unwrapped(schema);
  return is.union(inner) ? inner.options.flatMap(formsOf) : [inner];
}

/** The intended form, however deep unions are nested; the union itself if none was recognised. */
function settled(schema: Schema, value: unknown): Schema {
  if (!is.union(schema)) return schema;
  const option = optionFor(schema, value);
  return option === undefined ? schema : settled(option.schema, value);
}

/** The schema of a member. */
function childOf(schema: Schema, part: string | number): Schema | undefined {
  if (is.array(schema) && typeof part === 'number') return schema.element;
  if (is.record(schema)) return schema.valueType;
  if (!is.object(schema)) return undefined;
  return Object.hasOwn(schema.shape, part) ? (schema.shape as Record<string, Schema>)[part] : schema.def.catchall;
}

/** The member of a value, if it has one. */
function memberOf(value: unknown, part: string | number): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, part)
    ? (value as Record<string | number, unknown>)[part]
    : undefined;
}

/** Every string of the document that the schema knows, with how it is read. */
export function textsOf(schema: Schema, document: Json): readonly PlacedText[] {
  const texts: PlacedText[] = [];
  addTexts(schema, document, { path: [], note: {}, texts });
  return texts;
}

function addTexts(
  schema: Schema,
  value: Json,
  { path, note: around, texts }: { readonly path: YamlPath; readonly note: Note; readonly texts: PlacedText[] },
): void {
  const declared = unwrapped(schema);
  const meant = settled(declared, value);
  if (typeof value === 'string') texts.push({ path, text: value, note: { ...around, ...roleOf(declared), ...roleOf(meant) } });
  if (typeof value !== 'object' || value === null) return;
  const isFree = is.unknown(meant);
  const note = isFree ? { ...around, ...roleOf(declared), ...roleOf(meant) } : {};
  const entries: Iterable<[string | number, Json]> = Array.isArray(value) ? value.entries() : Object.entries(value);
  for (const [key, member] of entries) {
    const child = isFree ? meant : childOf(meant, key);
    if (child !== undefined) addTexts(child, member, { path: [...path, key], note, texts });
  }
}

/** The part of a note about strings. */
function roleOf(schema: Schema): Note {
  const known = roles.get(schema);
  if (known !== undefined) return known;
  const { role, roots, takesSecrets } = noteOf(schema);
  const found: Note = omitUndefined({ role, roots, takesSecrets });
  roles.set(schema, found);
  return found;
}

/** True for a map of the document. */
export function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
