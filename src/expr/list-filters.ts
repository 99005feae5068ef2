// Owns the filters for lists. If an empty list has no result (`first`, `max`), the result is absent, so that `??` and
// `default` can provide one.

import { isJsonObject, isList, type Json } from '../base/json.ts';
import { describe, entriesOf, ownData, toJsonText } from './data.ts';
import type { Filter } from './filters.ts';
import type { Meter } from './meter.ts';

const SORT_STEPS_PER_ITEM = 4;

/** The filters for lists, by name. */
export const LIST_FILTERS: Readonly<Record<string, Filter>> = {
  join: { arity: [0, 1], usage: "join or join(', ')", apply: join },
  first: plain('first', (list, meter) => list[0] ?? noneOf('first', list, meter)),
  last: plain('last', (list, meter) => list.at(-1) ?? noneOf('last', list, meter)),
  map: { arity: [1, 1], usage: "map('field')", apply: mapField },
  unique: plain('unique', unique),
  sort: plain('sort', sort),
  reverse: plain('reverse', (list) => list.toReversed()),
  sum: plain('sum', (list, meter) => finite(total(numbersIn(list, 'sum', meter)), meter)),
  min: plain('min', (list, meter) => extreme(list, { name: 'min', better: (a, b) => a < b }, meter)),
  max: plain('max', (list, meter) => extreme(list, { name: 'max', better: (a, b) => a > b }, meter)),
};

function plain(name: string, compute: (list: readonly Json[], meter: Meter) => Json): Filter {
  return { arity: [0, 0], usage: name, apply: (value, _, meter) => compute(listIn(value, name, meter), meter) };
}

function listIn(value: Json, filter: string, meter: Meter): readonly Json[] {
  return isList(value) ? entriesOf(value, meter) : meter.fail(`${filter} needs a list, but got ${describe(value, meter)}`);
}

/** A null item is a result; a missing item is not. */
function noneOf(name: string, list: readonly Json[], meter: Meter): null {
  if (list.length > 0) return null;
  return meter.absent(() => `an empty list has no ${name}; give a default: list | ${name} ?? null`);
}

function join(value: Json, [separator = ', ']: readonly Json[], meter: Meter): string {
  if (typeof separator !== 'string') return meter.fail(`join needs text as its separator, but got ${describe(separator, meter)}`);
  const parts = listIn(value, 'join', meter).map((item) => joinable(item, meter));
  const length = parts.reduce((sum, part) => sum + part.length, 0) + separator.length * Math.max(0, parts.length - 1);
  meter.reserveText(length);
  return parts.join(separator);
}

function joinable(item: Json, meter: Meter): string {
  if (item !== null && typeof item !== 'object') return String(item);
  return meter.fail(`join needs texts and numbers, but one item is ${describe(item, meter)}; pick a field: list | map('name') | join`);
}

function mapField(value: Json, [field]: readonly Json[], meter: Meter): Json {
  if (typeof field !== 'string') return meter.fail(`map needs the name of a field, but got ${describe(field as Json, meter)}`);
  return listIn(value, 'map', meter).map((item) => {
    if (!isJsonObject(item)) return meter.fail(`map(${shown(field, meter)}) needs objects, but one item is ${describe(item, meter)}`);
    const found = ownData(item, field);
    return found ?? absentField(field, found, meter);
  });
}

function absentField(field: string, found: null | undefined, meter: Meter): null {
  if (found === null) return null;
  return meter.absent(() => `an item has no field ${shown(field, meter)}; list.*.field leaves such items out`);
}

/** Returns the name of a field, unless it may contain a secret. */
function shown(field: string, meter: Meter): string {
  return meter.discreet ? 'of that name' : `"${field.slice(0, 40)}"`;
}

function unique(list: readonly Json[], meter: Meter): Json {
  const seen = new Set<string>();
  return list.filter((item) => {
    const text = toJsonText(item, meter);
    const isNew = !seen.has(text);
    seen.add(text);
    return isNew;
  });
}

function sort(list: readonly Json[], meter: Meter): Json {
  const kinds = new Set(list.map((item) => typeof item));
  const ordered = kinds.size <= 1 && (list.length === 0 || kinds.has('number') || kinds.has('string'));
  if (!ordered) meter.fail("sort needs numbers or texts, all of one kind; pick a field first: list | map('name') | sort");
  meter.spend(list.length * SORT_STEPS_PER_ITEM);
  return (list as readonly string[]).toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}

function numbersIn(list: readonly Json[], name: string, meter: Meter): readonly number[] {
  const stranger = list.find((item) => typeof item !== 'number');
  if (stranger !== undefined) meter.fail(`${name} needs numbers, but one item is ${describe(stranger, meter)}`);
  return list as readonly number[];
}

function total(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

function finite(value: number, meter: Meter): number {
  return Number.isFinite(value) ? value : meter.fail('the sum is too large for a number');
}

function extreme(list: readonly Json[], choice: { name: string; better: (a: number, b: number) => boolean }, meter: Meter): Json {
  const numbers = numbersIn(list, choice.name, meter);
  if (numbers.length === 0) return noneOf(choice.name, list, meter);
  return numbers.reduce((best, number) => (choice.better(number, best) ? number : best));
}
