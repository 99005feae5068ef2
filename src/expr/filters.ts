// Owns the filters: the only things an expression can call. The registry is closed and every filter is total: for any
// data it returns data, or fails with a message, within the meter's limits. To add one, add it to the table of its
// subject (text-filters.ts, list-filters.ts, or here) and to docs/internals/expr.md.

import { isJsonObject, isList, type Json } from '../base/json.ts';
import { reservedName } from '../base/reserved-name.ts';
import { describe, entriesOf, holds, ownData, toJsonText } from './data.ts';
import { LIST_FILTERS } from './list-filters.ts';
import type { Meter } from './meter.ts';
import { TEXT_FILTERS } from './text-filters.ts';

/** A filter: its function, the number of its arguments, and its usage. */
export interface Filter {
  readonly arity: readonly [least: number, most: number];
  readonly usage: string;
  /** A hidden name of the scope that authors cannot write. Its value is passed as the last argument, or null. */
  readonly sees?: string;
  apply(value: Json, args: readonly Json[], meter: Meter): Json;
}

/** The key for paths of captured files with public declarations, in the output of a step and in a scope. */
export const PUBLIC_API = reservedName('public_api');

const GENERAL_FILTERS: Readonly<Record<string, Filter>> = {
  contains: { arity: [1, 1], usage: "contains('x')", apply: (value, [item], meter) => holds(value, item as Json, meter) },
  length: { arity: [0, 0], usage: 'length', apply: lengthOf },
  json: { arity: [0, 0], usage: 'json', apply: (value, _, meter) => toJsonText(value, meter) },
  string: { arity: [0, 0], usage: 'string', apply: toText },
  number: { arity: [0, 0], usage: 'number', apply: toNumber },
  keys: { arity: [0, 0], usage: 'keys', apply: keysOf },
  values: { arity: [0, 0], usage: 'values', apply: valuesOf },
  // The parser turns `default` into `??`; this entry has its arity and usage, and the same result for null.
  default: { arity: [1, 1], usage: "default('x')", apply: (value, [fallback]) => value ?? (fallback as Json) },
  round: { arity: [0, 1], usage: 'round or round(2)', apply: round },
  floor: { arity: [0, 0], usage: 'floor', apply: (value, _, meter) => whole(Math.floor(numberIn(value, meter))) },
  ceil: { arity: [0, 0], usage: 'ceil', apply: (value, _, meter) => whole(Math.ceil(numberIn(value, meter))) },
  abs: { arity: [0, 0], usage: 'abs', apply: (value, _, meter) => Math.abs(numberIn(value, meter)) },
  has_public_api: { arity: [0, 0], usage: 'has_public_api', sees: PUBLIC_API, apply: hasPublicApi },
};

/** Every filter by name. */
export const FILTERS: ReadonlyMap<string, Filter> = new Map(Object.entries({ ...GENERAL_FILTERS, ...TEXT_FILTERS, ...LIST_FILTERS }));

/** Names under which facts are recorded with outputs, for filters only; authors cannot write them. */
export const HIDDEN_NAMES: readonly string[] = [...FILTERS.values()].flatMap(({ sees }) => sees ?? []);

function lengthOf(value: Json, _: readonly Json[], meter: Meter): number {
  if (typeof value === 'string' || isList(value)) return value.length;
  if (isJsonObject(value)) return Object.keys(value).length;
  return meter.fail(`length needs a list, an object or text, but got ${describe(value, meter)}`);
}

function toText(value: Json, _: readonly Json[], meter: Meter): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return meter.fail(`string needs a number, true or false, but got ${describe(value, meter)}; use | json`);
}

function toNumber(value: Json, _: readonly Json[], meter: Meter): number {
  if (typeof value === 'number') return value;
  const trimmed = typeof value === 'string' && value.length <= 400 ? value.trim() : '';
  const parsed = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(trimmed) ? Number(trimmed) : Number.NaN;
  if (Number.isFinite(parsed)) return whole(parsed);
  return meter.fail(`number needs text such as "12" or "2.5", but got ${describe(value, meter)}`);
}

function keysOf(value: Json, _: readonly Json[], meter: Meter): Json {
  if (!isJsonObject(value)) return meter.fail(`keys needs an object, but got ${describe(value, meter)}`);
  const keys = Object.keys(value).filter((key) => ownData(value, key) !== undefined);
  meter.spend(keys.length);
  return keys;
}

function valuesOf(value: Json, _: readonly Json[], meter: Meter): Json {
  if (!isJsonObject(value)) return meter.fail(`values needs an object, but got ${describe(value, meter)}`);
  return entriesOf(value, meter);
}

function numberIn(value: Json, meter: Meter): number {
  return typeof value === 'number' ? value : meter.fail(`this filter needs a number, but got ${describe(value, meter)}`);
}

function whole(value: number): number {
  return value === 0 ? 0 : value;
}

function round(value: Json, [digits = 0]: readonly Json[], meter: Meter): number {
  const number = numberIn(value, meter);
  if (!Number.isInteger(digits) || (digits as number) < 0 || (digits as number) > 15) meter.fail('round needs 0 to 15 digits');
  const scale = 10 ** (digits as number);
  const scaled = number * scale;
  // Beyond this a double has no digits left to round, and scaling could overflow.
  return Math.abs(scaled) > Number.MAX_SAFE_INTEGER ? number : whole(Math.round(scaled) / scale);
}

/** Looks up captured files among those that were recorded as public. It never reads code itself. */
function hasPublicApi(value: Json, [recorded]: readonly Json[], meter: Meter): boolean {
  if (value === null) return false;
  const paths = isList(value) ? entriesOf(value, meter) : [value];
  const stranger = paths.find((path) => typeof path !== 'string');
  if (stranger === undefined && isList(recorded as Json)) return paths.some((path) => holds(recorded as Json, path, meter));
  const found = describe(stranger ?? value, meter);
  return meter.fail(`has_public_api needs captured files, but got ${found}; use it on a file output`);
}
