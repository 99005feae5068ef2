// Owns the fields of a form that is made from the parameters of a workflow, which are described as a JSON Schema.

import type { Json } from '../../connection/contract.ts';

/** A field of the form. */
export type ParamField = FieldFacts &
  (
    | { readonly kind: 'text' | 'long-text' | 'number' | 'integer' | 'flag' | 'json' }
    | { readonly kind: 'choice'; readonly choices: readonly string[] }
  );

interface FieldFacts {
  readonly name: string;
  readonly isRequired: boolean;
  readonly about: string | undefined;
  /** The text that the form begins with. */
  readonly initial: string;
}

type Schema = Readonly<Record<string, Json | undefined>>;

/** The fields for a schema; `given` are values of an earlier run. */
export function paramFields(schema: Json, initial: Json | undefined): readonly ParamField[] {
  const { properties, required } = objectOf(schema);
  const needed = Array.isArray(required) ? required : [];
  const values = objectOf(initial ?? null);
  const described = Object.entries(objectOf(properties ?? null)).map(([name, each]) =>
    fieldOf({ name, schema: objectOf(each ?? null), isRequired: needed.includes(name), value: values[name] }),
  );
  const known = new Set(described.map(({ name }) => name));
  const others = Object.entries(values).filter(([name]) => !known.has(name));
  return [...described, ...others.map(([name, value]) => fieldOf({ name, schema: {}, isRequired: false, value }))];
}

/** Parses the typed values. Throws an error that names the field that is wrong. */
export function paramsOf(fields: readonly ParamField[], typed: Readonly<Record<string, string>>): Readonly<Record<string, Json>> {
  const params: Record<string, Json> = {};
  for (const field of fields) {
    const text = typed[field.name] ?? field.initial;
    if (text === '' && field.kind !== 'flag') {
      if (field.isRequired) throw new Error(`"${field.name}" is required.`);
      continue;
    }
    params[field.name] = parseValue(field, text);
  }
  return params;
}

interface FieldSource {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
  readonly value: Json | undefined;
}

function fieldOf({ name, schema, isRequired, value }: FieldSource): ParamField {
  const kind = kindOf(schema, value);
  const initial = value ?? schema.default;
  const facts = {
    name,
    isRequired: isRequired && schema.default === undefined,
    about: typeof schema.description === 'string' ? schema.description : undefined,
    initial:
      initial === undefined ? (kind === 'flag' ? 'false' : '') : kind === 'json' ? JSON.stringify(initial, null, 2) : String(initial),
  };
  return kind === 'choice' ? { ...facts, kind, choices: Array.isArray(schema.enum) ? schema.enum.map(String) : [] } : { ...facts, kind };
}

function kindOf({ type, enum: choices, format }: Schema, value: Json | undefined): ParamField['kind'] {
  if (Array.isArray(choices) && choices.every((each) => typeof each === 'string')) return 'choice';
  if (type === 'boolean') return 'flag';
  if (type === 'integer' || type === 'number') return type;
  const isText = type === 'string' || (type === undefined && typeof value === 'string');
  if (!isText) return 'json';
  return format === 'textarea' || (typeof value === 'string' && value.includes('\n')) ? 'long-text' : 'text';
}

function parseValue({ name, kind }: ParamField, text: string): Json {
  if (kind === 'flag') return text === 'true';
  if (kind === 'number' || kind === 'integer') {
    const number = Number(text);
    if (!Number.isFinite(number) || (kind === 'integer' && !Number.isInteger(number)))
      throw new Error(`"${name}" must be ${kind === 'integer' ? 'a whole number' : 'a number'}.`);
    return number;
  }
  if (kind !== 'json') return text;
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw new Error(`"${name}" must be JSON, such as "text", 42, [1, 2] or {"a": 1}.`);
  }
}

function objectOf(value: Json): Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Schema) : {};
}
