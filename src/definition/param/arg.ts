// Owns parameters: their declaration, and the binding of values to them.
//
// - Nothing is coerced: "5" is not 5. Readers of text (a command line, a form) convert before binding.
// - All faults of a set of values are reported in one error.

import { EngineError, isEngineError, messageOf } from '../../base/error.ts';
import { omitUndefined } from '../../base/fields.ts';
import { canonicalJson, deepFreeze, type Json, type JsonObject, parseJson, toPlain } from '../../base/json.ts';
import { shortText } from '../../base/short-text.ts';
import { didYouMean } from '../../base/suggest.ts';
import type { ArgModel } from '../model.ts';

/** The declaration of a parameter; every field is optional. */
export interface ArgSpec {
  readonly description?: string;
  readonly type?: NonNullable<ArgModel['type']>;
  readonly default?: Json;
  readonly min?: number;
  readonly max?: number;
  readonly choices?: readonly Json[];
  readonly required?: boolean;
}

declare const VALUE: unique symbol;

/** A parameter with values of type `T`, and whether it is required. At run time it is only data. */
export interface Arg<T = unknown, Required extends boolean = boolean> extends ArgModel {
  readonly [VALUE]?: readonly [T, Required];
}

interface TypeNames {
  string: string;
  number: number;
  integer: number;
  boolean: boolean;
  json: Json;
}

type Widen<T> = T extends string ? string : T extends number ? number : T extends boolean ? boolean : Json;
type DeclaredValue<S> = S extends { choices: readonly (infer C)[] }
  ? C
  : S extends { type: infer T extends keyof TypeNames }
    ? TypeNames[T]
    : S extends { min: number } | { max: number }
      ? number
      : S extends { default: infer D }
        ? Widen<D>
        : Json;

/** The type of the values that a parameter's declaration allows. */
export type ArgValue<S extends ArgSpec> = S extends { default: Json } | { required: true }
  ? DeclaredValue<S>
  : DeclaredValue<S> | undefined;

/** Parameters by name. */
export type ArgSpecs = Readonly<Record<string, Arg>>;

/** The values of a set of parameters, as handlers see them. */
export type ArgValues<P> = string extends keyof P ? JsonObject : { readonly [K in keyof P]: ValueOf<P[K]> };

type ValueOf<A> = A extends Arg<infer T> ? T : Json;
type RequiredNames<P> = { [K in keyof P]: P[K] extends Arg<unknown, true> ? K : never }[keyof P];
type Flat<T> = { [K in keyof T]: T[K] } & {};

/** The values of a workflow without parameters: none. */
export type NoParams = Readonly<Record<string, 'this workflow has no parameters'>>;

/** The values that a run is started with: the required ones, and optionally others. */
export type ArgInput<P> = string extends keyof P
  ? Readonly<Record<string, unknown>>
  : [keyof P] extends [never]
    ? NoParams
    : Flat<{ readonly [K in RequiredNames<P>]: ValueOf<P[K]> } & { readonly [K in Exclude<keyof P, RequiredNames<P>>]?: ValueOf<P[K]> }>;

/** What is wrong with a field of a declaration, by the other fields. */
type Mistake<S extends ArgSpec, Field> = Field extends keyof Arg
  ? Field extends 'default'
    ? Misfit<S, 'default', DeclaredValue<Omit<S, 'default'>>, DefaultMistake<S>>
    : Field extends 'choices'
      ? Misfit<S['choices'], number, DeclaredValue<Pick<S, Extract<keyof S, 'type'>>>, 'the choices do not have the type of the parameter'>
      : Field extends 'min' | 'max'
        ? S extends { type: 'string' | 'boolean' | 'json' }
          ? 'only numbers have a minimum and a maximum'
          : never
        : never
  : 'a parameter has no such field';
type Misfit<X, Field, Allowed, Message> = Field extends keyof X ? (X[Field] extends Allowed | undefined ? never : Message) : never;
type DefaultMistake<S> = S extends { choices: unknown }
  ? 'the default is not one of the choices'
  : 'the default does not have the type of the parameter';
/** The fields of a declaration that are wrong, with what is wrong about each. */
export type ArgMistakes<S extends ArgSpec> = {
  readonly [Field in keyof S as [Mistake<S, Field>] extends [never] ? never : Field]: { readonly error: Mistake<S, Field> };
};

/** Declares a parameter. A missing type follows from the choices, the bounds or the default. */
export function arg<const S extends ArgSpec>(spec: S & ArgMistakes<S>): Arg<ArgValue<S>, S extends { required: true } ? true : false> {
  const type = spec.type ?? impliedType(spec);
  const model: ArgModel = {
    description: spec.description ?? '',
    required: spec.required ?? false,
    ...omitUndefined({ type }),
    ...(spec.default === undefined ? {} : { default: plain(spec.default, 'default') }),
    ...omitUndefined({ min: spec.min, max: spec.max }),
    ...(spec.choices === undefined ? {} : { choices: plain(spec.choices, 'choices') as readonly Json[] }),
  };
  return deepFreeze(model);
}

function plain(value: Json, field: string): Json {
  try {
    return toPlain(value, `the ${field} of a parameter`);
  } catch (error) {
    throw new EngineError('DEFINITION_INVALID', messageOf(error), { cause: error });
  }
}

/** Integer bounds imply integers, so that the values can be enumerated; `type: 'number'` allows fractions. */
function impliedType(spec: ArgSpec): ArgModel['type'] {
  const numbers = [spec.min, spec.max, spec.default].filter((value) => typeof value === 'number');
  if (spec.min !== undefined || spec.max !== undefined) return numbers.every(Number.isInteger) ? 'integer' : 'number';
  const values = spec.choices ?? (spec.default === undefined ? [] : [spec.default]);
  const types = new Set(values.map((value) => typeof value));
  const [only] = types;
  return types.size === 1 && (only === 'string' || only === 'number' || only === 'boolean') ? only : undefined;
}

/** Returns what is wrong with a parameter itself: contradicting bounds, choices and default. */
export function argFaults(model: ArgModel): string[] {
  const faults: string[] = [];
  const { min, max, choices } = model;
  if ([min, max].some((bound) => bound !== undefined && !Number.isFinite(bound))) faults.push('min and max must be finite numbers');
  if (min !== undefined && max !== undefined && min > max) faults.push(`min ${min} is above max ${max}`);
  if ((min !== undefined || max !== undefined) && model.type !== 'number' && model.type !== 'integer')
    faults.push(`min and max apply only to numbers, but the type is ${model.type}`);
  if (choices?.length === 0) faults.push('choices is empty, so no value is allowed');
  const unfit = model.default === undefined ? undefined : valueFault(model, model.default);
  if (unfit !== undefined) faults.push(`the default ${canonicalJson(model.default as Json)} ${unfit}`);
  return faults;
}

/** Returns the values with defaults filled in, or throws PARAMS_INVALID with all faults. `owner` is what they belong to. */
export function bindParams(params: Readonly<Record<string, ArgModel>>, input: unknown, owner: string): JsonObject {
  const values = input === undefined || input === null ? {} : input;
  if (typeof values !== 'object' || Array.isArray(values))
    throw invalidParams(owner, { faults: ['they must be an object with a value per name'] });
  const faults = unknownNames(params, values);
  const missing: string[] = [];
  const bound: [string, Json][] = [];
  for (const [name, model] of Object.entries(params)) {
    const result = bindOne(name, model, Object.hasOwn(values, name) ? (values as Record<string, unknown>)[name] : undefined);
    if (result.isMissing === true) missing.push(name);
    if (result.fault !== undefined) faults.push(result.fault);
    else if (result.value !== undefined) bound.push([name, result.value]);
  }
  if (faults.length > 0) throw invalidParams(owner, { faults, missing });
  return deepFreeze(Object.fromEntries(bound));
}

/** Converts text to a value of the declared type. Text that does not fit is returned as it is, and binding rejects it. */
export function argFromText(text: string, type: ArgModel['type']): Json {
  if (type === 'string') return text;
  const value = parseJson(text);
  return value === undefined || (type === undefined && typeof value === 'string') ? text : value;
}

/** Returns what is wrong with the values of an object that have the name of an argument. */
export function argValueFaults(args: Readonly<Record<string, ArgModel>>, values: JsonObject): readonly string[] {
  return Object.entries(args).flatMap(([name, model]) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    return value === undefined || value === null ? [] : (bindOne(name, model, value).fault ?? []);
  });
}

function unknownNames(params: Readonly<Record<string, ArgModel>>, values: object): string[] {
  const known = Object.keys(params);
  const exist = known.length === 0 ? 'none are declared; add it to "params" of the workflow' : `the parameters are ${known.join(', ')}`;
  return Object.keys(values)
    .filter((name) => !Object.hasOwn(params, name))
    .map((name) => `"${name}" is not a parameter${didYouMean(name, known)}; ${exist}`);
}

interface BoundArg {
  readonly value?: Json;
  readonly fault?: string;
  readonly isMissing?: boolean;
}

/** Returns what is wrong with the fields of a value that belong to arguments, or undefined. Other fields are ignored. */
export function argumentFault(args: Readonly<Record<string, ArgModel>>, value: Json): string | undefined {
  const input = typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
  return Object.entries(args)
    .map(([name, model]) => bindOne(name, model, Object.hasOwn(input, name) ? input[name] : undefined).fault)
    .find((fault) => fault !== undefined);
}

/** Adds the flags of missing parameters, as `flag` writes them, to an error about parameters. Other errors are unchanged. */
export function withMissingFlags(error: unknown, flag: (name: string) => string): unknown {
  if (!isEngineError(error) || error.code !== 'PARAMS_INVALID') return error;
  const missing = (error.details.missing ?? []) as readonly string[];
  if (missing.length === 0) return error;
  const separator = error.message.includes('\n') ? '\n' : '; ';
  const message = `${error.message}${separator}add ${missing.map(flag).join(' ')}`;
  return new EngineError('PARAMS_INVALID', message, { details: error.details, cause: error });
}

/** Describes the values that arguments allow, one line each. */
export function argumentLines(args: Readonly<Record<string, ArgModel>>): string[] {
  return Object.entries(args).map(([name, model]) => {
    const about = model.description === '' ? '' : `: ${model.description}`;
    return `- "${name}"${model.required ? ' (required)' : ''}, ${expectation(model)}${about}`;
  });
}

function bindOne(name: string, model: ArgModel, input: unknown): BoundArg {
  if (input === undefined) {
    if (model.default !== undefined) return { value: model.default };
    return model.required ? { fault: `"${name}" is missing; it must be ${expectation(model)}`, isMissing: true } : {};
  }
  try {
    const value = toPlain(input, `"${name}"`);
    const fault = valueFault(model, value);
    return fault === undefined ? { value } : { fault: `"${name}" is ${shortText(canonicalJson(value), SHOWN_MAX)}, which ${fault}` };
  } catch (error) {
    return { fault: messageOf(error) };
  }
}

function valueFault(model: ArgModel, value: Json): string | undefined {
  if (!hasType(model.type, value)) return `is not of type ${model.type}; write ${expectation(model)}`;
  if (model.choices !== undefined && !model.choices.some((choice) => canonicalJson(choice) === canonicalJson(value)))
    return `is not one of its choices; write ${expectation(model)}`;
  if (typeof value !== 'number') return undefined;
  if (model.min !== undefined && value < model.min) return `is below ${model.min}; write ${expectation(model)}`;
  return model.max !== undefined && value > model.max ? `is above ${model.max}; write ${expectation(model)}` : undefined;
}

function hasType(type: ArgModel['type'], value: Json): boolean {
  if (type === undefined || type === 'json') return true;
  return type === 'integer' ? Number.isInteger(value) : typeof value === type;
}

function expectation(model: ArgModel): string {
  if (model.choices !== undefined) return `one of ${model.choices.map(canonicalJson).join(', ')}`;
  const article = model.type === 'integer' ? 'an' : 'a';
  const kind = model.type === undefined || model.type === 'json' ? 'any JSON value' : `${article} ${model.type}`;
  if (model.min !== undefined && model.max !== undefined) return `${kind} from ${model.min} to ${model.max}`;
  if (model.min !== undefined) return `${kind} of at least ${model.min}`;
  return model.max === undefined ? kind : `${kind} of at most ${model.max}`;
}

const SHOWN_MAX = 80;

/** `missing` names the missing parameters, so that a caller can say how to pass them. */
function invalidParams(
  owner: string,
  { faults, missing = [] }: { readonly faults: readonly string[]; readonly missing?: readonly string[] },
): EngineError {
  const list = faults.length === 1 ? faults[0] : `\n${faults.map((fault) => `- ${fault}`).join('\n')}`;
  return new EngineError('PARAMS_INVALID', `the parameters of ${owner} are not valid: ${list}`, { details: { problems: faults, missing } });
}
