// Owns shapes: types as values. A shape says what a value of the author must be, and reads it. A part of another type is
// reported with its path and left out, so nothing is converted and no later code sees it.

import type { Duration } from '../../base/duration.ts';
import { omitUndefined } from '../../base/fields.ts';
import { isJsonObject, type JsonObject, toPlain } from '../../base/json.ts';
import { shortText } from '../../base/short-text.ts';
import { didYouMean } from '../../base/suggest.ts';
import { countFrom, isFlag } from '../../definition/field-reader.ts';
import type { FindingCode } from '../../definition/validation/finding.ts';

/** An object whose fields have not been read. */
export type Fields = Readonly<Record<string, unknown>>;

/** True for an object that is neither null nor a list. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reports a part that does not match its shape, and what to do about it. */
export type ShapeFault = (code: FindingCode, message: string, hint: string) => void;

/** The type of a value. */
export interface Shape<out T> {
  /** Completes the sentence "it must be …". */
  readonly must: string;
  readonly code?: FindingCode;
  /** Whether the value can be read at all; its parts may still have faults. */
  accepts(value: unknown): boolean;
  /** The value without its wrong parts; undefined if it is useless without them. */
  parts(value: unknown, path: string, fault: ShapeFault): T | undefined;
}

/** A shape for each field of an object. */
export type FieldShapes<T> = { readonly [Field in keyof T]-?: Shape<Exclude<T[Field], undefined>> };

/** Reads a value; undefined, and reported, if it has a wrong type. */
export function readShape<T>(shape: Shape<T>, value: unknown, { path, fault }: { path: string; fault: ShapeFault }): T | undefined {
  if (shape.accepts(value)) return shape.parts(value, path, fault);
  fault(shape.code ?? 'FIELD_INVALID', `\`${path}\` must be ${shape.must}, not ${shownType(value)}`, 'change the value, or remove it');
  return undefined;
}

const SHOWN_MAX = 60;

/** A value for messages. */
export function shownType(value: unknown): string {
  if (typeof value === 'function') return 'a function';
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  return typeof value === 'string' ? shortText(JSON.stringify(value), SHOWN_MAX) : String(value);
}

/** A value without parts. */
export function plainShape<T>(must: string, is: (value: unknown) => value is T, code: FindingCode = 'FIELD_INVALID'): Shape<T> {
  return { must, code, accepts: is, parts: (value) => value as T };
}

/** Any string, even an empty one. */
export const TEXT: Shape<string> = plainShape('a string', (value) => typeof value === 'string');
/** True or false. */
export const FLAG: Shape<boolean> = plainShape('true or false', isFlag);
/** A number. */
export const NUMBER: Shape<number> = plainShape('a number', (value) => typeof value === 'number');
/** A positive integer. */
export const COUNT: Shape<number> = plainShape('a positive integer', countFrom(1), 'NUMBER_INVALID');
/** A positive integer, or 0. */
export const COUNT_OR_NONE: Shape<number> = plainShape('0 or a positive integer', countFrom(0), 'NUMBER_INVALID');
/** A string or a number that may be a duration; its conversion checks it. */
export const DURATION: Shape<Duration> = plainShape(
  'a duration such as "30s"',
  (value) => typeof value === 'string' || typeof value === 'number',
  'TIMEOUT_INVALID',
);
/** Plain data by name. */
export const DATA: Shape<JsonObject> = plainShape('an object of plain data', isPlainObject);
/** True; false means the same as nothing. */
export const TRUE: Shape<true> = switchShape(true);
/** False; true means the same as nothing. */
export const FALSE: Shape<false> = switchShape(false);

function switchShape<Value extends boolean>(meant: Value): Shape<Value> {
  return { must: 'true or false', accepts: isFlag, parts: (value) => (value === meant ? meant : (undefined as never)) };
}

function isPlainObject(value: unknown): value is JsonObject {
  try {
    return isJsonObject(value) && isJsonObject(toPlain(value, ''));
  } catch {
    return false;
  }
}

/** One of these words. */
export function wordShape<const Word extends string | boolean>(...words: readonly Word[]): Shape<Word> {
  const must = words.map((word) => JSON.stringify(word)).join(' or ');
  return plainShape(must, (value): value is Word => words.some((word) => word === value));
}

/** A string from a set that is known only where it is used. */
export function textShape<Text extends string>(): Shape<Text> {
  return plainShape('a string', (value): value is Text => typeof value === 'string');
}

/** Any value; validated where it is used. */
export function anyShape<T>(): Shape<T> {
  return plainShape('anything', (_value): _value is T => true);
}

/** A function. */
export function functionShape<F>(): Shape<F> {
  return plainShape('a function', (value): value is F => typeof value === 'function');
}

/** A list. */
export function listShape<T>(item: Shape<T>, must = 'a list'): Shape<readonly T[]> {
  return {
    must,
    accepts: Array.isArray,
    parts: (value, path, fault) =>
      (value as readonly unknown[]).flatMap((element, index) => {
        const read = readShape(item, element, { path: `${path}[${index}]`, fault });
        return read === undefined ? [] : [read];
      }),
  };
}

/** A list of strings. */
export const TEXTS: Shape<readonly string[]> = listShape(TEXT, 'a list of strings');

/** A list, or one of its items alone. */
export const TEXT_OR_TEXTS: Shape<string | readonly string[]> = eitherShape(TEXT, TEXTS);

/** An object with values of one shape. */
export function mapShape<T>(item: Shape<T>, must = 'an object'): Shape<Readonly<Record<string, T>>> {
  return {
    must,
    accepts: isJsonObject,
    parts: (value, path, fault) =>
      Object.fromEntries(
        Object.entries(value as object).flatMap(([key, member]) => {
          const read = readShape(item, member, { path: `${path}.${key}`, fault });
          return read === undefined ? [] : [[key, read]];
        }),
      ),
  };
}

/** The further rules of an object. */
interface ObjectRule {
  /** An example for messages. */
  readonly example?: string;
  /** The required fields. */
  readonly needs?: readonly string[];
  /** Its name in messages about unknown fields. Without a name, the reader of the object reports them. */
  readonly label?: string | ((value: Fields) => string);
}

/** An object with these fields. Further fields stay in it, and are reported if the rule has a label. */
export function objectShape<T extends object>(fields: FieldShapes<T>, { example, needs = [], label }: ObjectRule = {}): Shape<T> {
  return {
    must: example === undefined ? 'an object' : `an object such as ${example}`,
    accepts: isJsonObject,
    parts: (value, path, fault) => {
      const read = readFields(fields, value as object, { path, fault }) as Fields;
      const known = Object.keys(fields);
      const subject = typeof label === 'function' ? label(read) : label;
      for (const field of subject === undefined ? [] : Object.keys(read).filter((key) => !known.includes(key)))
        fault('FIELD_UNKNOWN', `${subject} has no field "${field}"${didYouMean(field, known)}`, 'remove it, or fix the spelling');
      const shapeOf = (field: string): Shape<unknown> | undefined => fields[field as keyof T];
      const missing = needs.filter((field) => read[field] === undefined);
      for (const field of missing.filter((name) => (value as Fields)[name] === undefined))
        fault(
          shapeOf(field)?.code ?? 'FIELD_INVALID',
          `\`${pathTo(path, field)}\` is missing; it must be ${shapeOf(field)?.must}`,
          'add it',
        );
      return missing.length > 0 ? undefined : (read as T);
    },
  };
}

/** The fields of an object without those that have another type than their shape; if there are none, the object itself. */
export function readFields(
  shapes: Readonly<Record<string, Shape<unknown>>>,
  value: object,
  { path, fault }: { readonly path: string; readonly fault: ShapeFault },
): object {
  const read: Record<string, unknown> = {};
  for (const [field, member] of Object.entries(value)) {
    const shape = Object.hasOwn(shapes, field) && member !== undefined ? shapes[field] : undefined;
    const part = shape === undefined ? member : readShape(shape, member, { path: pathTo(path, field), fault });
    if (part !== member) read[field] = part;
  }
  return Object.keys(read).length === 0 ? value : omitUndefined({ ...value, ...read });
}

function pathTo(path: string, field: string): string {
  return path === '' ? field : `${path}.${field}`;
}

/** A value of any of these shapes. */
export function eitherShape<const Shapes extends readonly Shape<unknown>[]>(...shapes: Shapes): Shape<ShapedBy<Shapes[number]>> {
  const accepting = (value: unknown) => shapes.find((shape) => shape.accepts(value));
  const { code } = shapes[0] ?? {};
  return {
    must: shapes.map(({ must }) => must).join(' or '),
    ...(code === undefined ? {} : { code }),
    accepts: (value) => accepting(value) !== undefined,
    parts: (value, path, fault) => accepting(value)?.parts(value, path, fault) as ShapedBy<Shapes[number]>,
  };
}

type ShapedBy<S> = S extends Shape<infer T> ? T : never;
