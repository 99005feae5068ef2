// Owns shapes: what a value of a settings file or a role must be, where it is wrong, and its type once it is right.

import { durationOf } from './duration.ts';
import { isJsonObject, type Json } from './json.ts';
import { didYouMean } from './suggest.ts';

/** A wrong value: its path, and the reason, which completes a sentence that begins with the name of the value. */
export interface Fault {
  readonly path: readonly (string | number)[];
  readonly what: string;
}

/** A check that returns the first fault of a value; `valid` is only the type of the values without one. */
export interface Shape<Value> {
  (value: Json): Fault | undefined;
  readonly valid?: Value;
}

/** The type of the values that have a shape. */
export type ValueOf<S> = S extends Shape<infer Value> ? Value : never;

/** A value that must fit; if it does not, the message says that it must be `expected`. */
export function must<Value>(fits: (value: Json) => boolean, expected: string): Shape<Value> {
  return (value) => (fits(value) ? undefined : { path: [], what: `must be ${expected}` });
}

/** A shape with a further rule for the values that have it. */
export function withRule<Value>(shape: Shape<Value>, rule: (value: Value) => Fault | undefined): Shape<Value> {
  return (value) => shape(value) ?? rule(value as Value);
}

/** Returns a value as the type of its shape, or throws what `errorOf` makes of its first fault. */
export function parseShape<Value>(shape: Shape<Value>, value: Json, errorOf: (fault: Fault) => Error): Value {
  const fault = shape(value);
  if (fault !== undefined) throw errorOf(fault);
  return value as Value;
}

/** One of several values. */
export function oneOf<const Value extends string | boolean>(values: readonly Value[], expected: string): Shape<Value> {
  return must((value) => values.some((one) => one === value), expected);
}

/** A text that is not empty. */
export function textOf(expected: string): Shape<string> {
  return must((value) => typeof value === 'string' && value !== '', expected);
}

/** A whole number, at least `min` and, if there is one, at most `max`. */
export function wholeNumber(min: number, max = Number.POSITIVE_INFINITY): Shape<number> {
  const expected = max === Number.POSITIVE_INFINITY ? `a whole number of at least ${min}` : `a whole number from ${min} to ${max}`;
  return must((value) => Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max, expected);
}

/** A duration of at least `minMs`. */
export function durationText(expected: string, minMs = 0): Shape<string> {
  return must((value) => typeof value === 'string' && (durationOf(value) ?? -1) >= minMs, expected);
}

/** Whether a value is a list of texts that are not empty, with at least one. */
export function isTexts(value: Json | undefined): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string' && one !== '');
}

/** A list of texts, with at least one. */
export function texts(expected: string): Shape<readonly string[]> {
  return must(isTexts, expected);
}

/** A text that is not empty. */
export const text = textOf('a string that is not empty');
/** A switch. */
export const flag = oneOf([true, false], 'true or false');
/** A number of things, at least one. */
export const count = wholeNumber(1);

/** A value that `false` switches off. */
export function orOff<Value>(shape: Shape<Value>): Shape<Value | false> {
  return (value) => (value === false ? undefined : shape(value));
}

/** A list whose entries have a shape. */
export function list<Value>(item: Shape<Value>, expected: string, { isFilled = false } = {}): Shape<readonly Value[]> {
  return (value) => {
    if (!Array.isArray(value) || (isFilled && value.length === 0)) return { path: [], what: `must be ${expected}` };
    return firstOf(value.map((entry: Json, index) => below(index, item(entry))));
  };
}

/** A mapping with any names, whose values have a shape. */
export function table<Value>(expected: string, shape: (name: string) => Shape<Value>): Shape<Readonly<Record<string, Value>>> {
  return (value) => {
    if (!isJsonObject(value)) return { path: [], what: `must be ${expected}` };
    return firstOf(Object.entries(value).map(([name, one]) => below(name, shape(name)(one))));
  };
}

/** The shapes of the fields of a mapping. */
export type MappingFields = Readonly<Record<string, Shape<unknown>>>;

/** The type of a mapping with known fields. */
export type Mapping<F extends MappingFields, Required extends keyof F = never> = {
  readonly [Name in Required]: ValueOf<F[Name]>;
} & { readonly [Name in Exclude<keyof F, Required>]?: ValueOf<F[Name]> };

/** The wording for a mapping: what it must be, and the faults of an unknown and of a missing name. */
interface MappingWords<Required> {
  readonly expected?: string;
  readonly required?: readonly Required[];
  readonly missing?: string;
  readonly unknown?: (guess: string, known: string) => string;
}

/** A mapping with known fields. Those that are not `required` may be missing. */
export function mapping<F extends MappingFields, Required extends keyof F & string = never>(
  fields: F,
  { expected, required = [], missing, unknown = unknownSetting }: MappingWords<Required> = {},
): Shape<Mapping<F, Required>> {
  const known = Object.keys(fields);
  const needed: readonly string[] = required;
  return (value) => {
    if (!isJsonObject(value)) return { path: [], what: `must be ${expected ?? `a mapping with ${known.join(', ')}`}` };
    const extra = Object.keys(value).find((name) => !known.includes(name));
    if (extra !== undefined) return { path: [extra], what: unknown(didYouMean(extra, known), known.join(', ')) };
    const faults = Object.entries(fields).map(([name, shape]) => {
      const given = value[name];
      if (given === undefined && (missing !== undefined || !needed.includes(name)))
        return needed.includes(name) ? { path: [name], what: missing ?? '' } : undefined;
      return below(name, shape(given ?? null));
    });
    return firstOf(faults);
  };
}

function unknownSetting(guess: string, known: string): string {
  return `is unknown${guess}; known settings: ${known}`;
}

/** The first of several faults. */
export function firstOf(faults: readonly (Fault | undefined)[]): Fault | undefined {
  return faults.find((fault) => fault !== undefined);
}

/** A fault of a part, as a fault of the whole. */
export function below(name: string | number, fault: Fault | undefined): Fault | undefined {
  return fault && { ...fault, path: [name, ...fault.path] };
}
