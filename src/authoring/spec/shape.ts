// Owns the types of what authors write, as values: a shape says what a value must be, and reads it. A part that is
// something else is reported with its path and left out, so nothing is converted and no later code meets it.

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

/** Reports a part that has another type than its shape. */
export type ShapeFault = (code: FindingCode, message: string) => void;

/** What a value must be. */
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

/** Reads a value; one with another type is reported and undefined. */
export function readShape<T>(shape: Shape<T>, value: unknown, { path, fault }: { path: string; fault: ShapeFault }): T | undefined {
  if (shape.accepts(value)) return shape.parts(value, path, fault);
  fault(shape.code ?? 'FIELD_INVALID', `\`${path}\` must be ${shape.must}, not ${shownType(value)}`);
  return undefined;
}

const SHOWN_MAX = 60;

/** A value as messages show it. */
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

/** Any text, even an empty one. */
export const TEXT: Shape<string> = plainShape('a string', (value) => typeof value === 'string');
/** True or false. */
export const FLAG: Shape<boolean> = plainShape('true or false', isFlag);
/** A number. */
export const NUMBER: Shape<number> = plainShape('a number', (value) => typeof value === 'number');
/** A positive integer. */
export const COUNT: Shape<number> = plainShape('a positive integer', countFrom(1), 'NUMBER_INVALID');
/** A positive integer, or 0. */
export const COUNT_OR_NONE: Shape<number> = plainShape('0 or a positive integer', countFrom(0), 'NUMBER_INVALID');
/** A duration as it is written; whether it is one is found where it is converted. */
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

/** A text of a few that are known where it is used. */
export function textShape<Text extends string>(): Shape<Text> {
  return plainShape('a string', (value): value is Text => typeof value === 'string');
}

/** What is checked where it is used. */
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
      (value as readonly unknown[]).flatMap((one, index) => {
        const read = readShape(item, one, { path: `${path}[${index}]`, fault });
        return read === undefined ? [] : [read];
      }),
  };
}

/** A list of texts. */
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
        Object.entries(value as object).flatMap(([key, one]) => {
          const read = readShape(item, one, { path: `${path}.${key}`, fault });
          return read === undefined ? [] : [[key, read]];
        }),
      ),
  };
}

/** What else is known of an object. */
interface ObjectRule {
  /** How it is written. */
  readonly example?: string;
  /** The fields that it cannot do without. */
  readonly needs?: readonly string[];
  /** What it is called in messages about unknown fields. Without it, whoever reads the object reports them. */
  readonly what?: string | ((value: Fields) => string);
}

/** An object with these fields. Further ones stay in it, and are reported if the rule says what the object is called. */
export function objectShape<T extends object>(fields: FieldShapes<T>, { example, needs = [], what }: ObjectRule = {}): Shape<T> {
  return {
    must: example === undefined ? 'an object' : `an object such as ${example}`,
    accepts: isJsonObject,
    parts: (value, path, fault) => {
      const read = readFields(fields, value as object, { path, fault }) as Fields;
      const known = Object.keys(fields);
      for (const field of what === undefined ? [] : Object.keys(read).filter((one) => !known.includes(one)))
        fault('FIELD_UNKNOWN', `${typeof what === 'function' ? what(read) : what} has no field "${field}"${didYouMean(field, known)}`);
      const shapeOf = (field: string): Shape<unknown> | undefined => fields[field as keyof T];
      const missing = needs.filter((field) => read[field] === undefined);
      for (const field of missing.filter((one) => (value as Fields)[one] === undefined))
        fault(shapeOf(field)?.code ?? 'FIELD_INVALID', `\`${pathTo(path, field)}\` is missing; it must be ${shapeOf(field)?.must}`);
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
  for (const [field, one] of Object.entries(value)) {
    const shape = Object.hasOwn(shapes, field) && one !== undefined ? shapes[field] : undefined;
    const part = shape === undefined ? one : readShape(shape, one, { path: pathTo(path, field), fault });
    if (part !== one) read[field] = part;
  }
  return Object.keys(read).length === 0 ? value : omitUndefined({ ...value, ...read });
}

function pathTo(path: string, field: string): string {
  return path === '' ? field : `${path}.${field}`;
}

/** A value of any of these shapes. */
export function eitherShape<const Shapes extends readonly Shape<unknown>[]>(...shapes: Shapes): Shape<ShapedBy<Shapes[number]>> {
  const found = (value: unknown) => shapes.find((shape) => shape.accepts(value));
  const { code } = shapes[0] ?? {};
  return {
    must: shapes.map(({ must }) => must).join(' or '),
    ...(code === undefined ? {} : { code }),
    accepts: (value) => found(value) !== undefined,
    parts: (value, path, fault) => found(value)?.parts(value, path, fault) as ShapedBy<Shapes[number]>,
  };
}

type ShapedBy<S> = S extends Shape<infer T> ? T : never;
