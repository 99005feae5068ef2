// Owns the building blocks of the schema: the kinds of values that fields have, with a note on each. A note has the meaning of
// a field, says which of its strings are templates, and how messages name it. JSON Schema, the reference and the messages
// are generated from these notes, so that they cannot differ from what is checked.

import * as z from 'zod';

/**
 * How the strings of a field are read. `literal`: unchanged. `template`: with placeholders. `condition`: as an expression.
 * `tree`: any data whose texts have placeholders. `command`: unchanged, for a program, where a template would be a
 * security hole. `prose`: human-readable text, in which braces have no meaning.
 */
export type TextRole = 'literal' | 'template' | 'condition' | 'tree' | 'command' | 'prose';

/** The note of the schema on a field or a form. */
export interface Note {
  /** The name of a part that JSON Schema holds once and refers to. */
  readonly id?: string;
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly role?: TextRole;
  /** The names that a condition sees, if they are not those of the run. */
  readonly roots?: readonly string[];
  /** True if secrets may be inserted. */
  readonly takesSecrets?: boolean;
  /** How messages name the thing: `a gate stage`. */
  readonly what?: string;
  /** How messages say which values are accepted: `a duration such as 30s`. */
  readonly accepts?: string;
}

/** The keys of a note that are internal and not for JSON Schema. */
export const OWN_NOTES = ['role', 'roots', 'takesSecrets', 'what', 'accepts'] as const;

/** Adds a note to a schema, merged with its existing one. An id stays with the schema that it was given to. */
export function noted<T extends z.ZodType>(schema: T, note: Note): T {
  const { id: _, ...known } = schema.meta() ?? {};
  return schema.meta({ ...known, ...note });
}

/** The note of a schema, without that of what it wraps. */
export function noteOf(schema: z.core.$ZodType): Note {
  return (z.globalRegistry.get(schema) ?? {}) as Note;
}

/** A map with these fields and no others. */
export function map<S extends z.ZodRawShape>(what: string, shape: S, description?: string) {
  const id = what.replace(/^an? /, '').replaceAll(' ', '-');
  return noted(z.strictObject(shape), { id, what, ...(description === undefined ? {} : { description }) });
}

const some = z.string().regex(/\S/);

/** A literal string that is not blank: a name, a word, an address. */
export function literal(description: string, ...examples: string[]) {
  return noted(some, { description, examples, role: 'literal', accepts: 'a string' });
}

/** Human-readable text, in which braces have no meaning. */
export function prose(description: string, ...examples: string[]) {
  return noted(z.string(), { description, examples, role: 'prose', accepts: 'a string' });
}

/** A string with placeholders. */
export function template(description: string, ...examples: string[]) {
  return noted(z.string(), { description, examples, role: 'template', accepts: 'a string, which may have {{ }} templates' });
}

/** An expression, with or without braces around it. */
export function condition(description: string, note: { readonly examples: readonly string[]; readonly roots?: readonly string[] }) {
  return noted(some, { description, role: 'condition', accepts: 'an expression as a string', ...note });
}

/** Any data, whose strings may have placeholders. */
export function tree(description: string, note: Pick<Note, 'examples' | 'takesSecrets'> = {}) {
  return noted(z.unknown(), { description, role: 'tree', accepts: 'any value', ...note });
}

/** Any data, unchanged. */
export function data(description: string, ...examples: unknown[]) {
  return noted(z.unknown(), { description, examples, role: 'literal', accepts: 'any value' });
}

/** True or false. */
export function flag(description: string) {
  return noted(z.boolean(), { description, examples: [true], accepts: 'true or false' });
}

/** A whole number of at least one. */
export function count(description: string, example: number) {
  return noted(z.int().min(1), { description, examples: [example], accepts: 'a whole number of at least 1' });
}

/** A duration with its unit. A bare number is rejected, because its unit would be ambiguous. */
export function duration(description: string, example = '30m') {
  // The same syntax as parseDuration, with few enough digits that the sum in milliseconds is exact.
  const written = z.string().regex(/^\s*(?:\d{1,9}(?:\.\d{1,6})?(?:ms|s|m)|\d{1,6}(?:\.\d{1,6})?[hdw]){1,6}\s*$/);
  return noted(written, { description, examples: [example], role: 'literal', accepts: 'a duration such as 30s, 10m, 24h or 1h30m' });
}

/** One of some words. */
export function choice<const T extends readonly [string, ...string[]]>(description: string, words: T) {
  return noted(z.enum(words), { description, examples: [words[0]], accepts: `one of ${words.join(', ')}` });
}

/** A string or a list of strings. */
export function oneOrMore(description: string, ...examples: unknown[]) {
  const item = noted(some, { role: 'literal', accepts: 'a string' });
  return noted(z.union([item, z.array(item).min(1)]), { description, examples, accepts: 'a string or a list of strings' });
}

/** A list of strings that is not empty. */
export function texts(description: string, example: readonly string[], role: TextRole = 'literal') {
  const item = noted(some, { role, accepts: 'a string' });
  return noted(z.array(item).min(1), { description, examples: [example], accepts: 'a list of strings' });
}

/** A list of strings that may be empty. */
export function textsOrNone(description: string, example: readonly string[]) {
  const item = noted(some, { role: 'literal', accepts: 'a string' });
  return noted(z.array(item), { description, examples: [example], accepts: 'a list of strings' });
}

/** Names that expressions can read without quotes, each with a value. */
export function byName<T extends z.ZodType>(value: T, note: Note) {
  return noted(z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_-]*$/), value), { accepts: 'a map from names to values', ...note });
}
