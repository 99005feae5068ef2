// Reads data for expressions: own properties with plain data, and nothing else. Getters, functions and inherited
// properties count as missing, so no expression can run code or walk a prototype.

import { isJsonObject, isList, type Json, type JsonObject } from '../base/json.ts';
import { shortText } from '../base/short-text.ts';
import { DATA_DEPTH_MAX, type Meter } from './meter.ts';
import { hasText } from './text-search.ts';

const QUOTED_MAX = 40;
const LISTED_KEYS_MAX = 8;

/** Returns the value of an own data property, or undefined. */
export function ownData(container: object, key: string | number): Json | undefined {
  const value: unknown = Object.getOwnPropertyDescriptor(container, key)?.value;
  return isData(value) ? value : undefined;
}

function isData(value: unknown): value is Json {
  return typeof value === 'number' ? Number.isFinite(value) : ['string', 'boolean', 'object'].includes(typeof value);
}

/** Returns the entries of a list or the values of an object, in order, and counts each one. */
export function entriesOf(container: readonly Json[] | JsonObject, meter: Meter): Json[] {
  const keys = isList(container) ? container.keys() : Object.keys(container);
  const entries: Json[] = [];
  for (const key of keys) {
    meter.spend(1);
    const entry = ownData(container, key);
    if (entry !== undefined) entries.push(entry);
  }
  return entries;
}

/** True if both are deeply equal; the order of keys does not matter. */
export function isSame(left: Json, right: Json, meter: Meter): boolean {
  return isSameAt(left, right, { meter, depth: 0 });
}

interface Descent {
  readonly meter: Meter;
  readonly depth: number;
}

function isSameAt(left: Json, right: Json, descent: Descent): boolean {
  if (typeof left === 'string' && typeof right === 'string' && left.length === right.length) descent.meter.spendText(left.length);
  if (left === right) return true;
  if (isList(left) && isList(right)) {
    return left.length === right.length && areSameMembers(left, right, { ...descent, keys: left.keys() });
  }
  if (!isJsonObject(left) || !isJsonObject(right)) return false;
  const keys = Object.keys(left);
  return keys.length === Object.keys(right).length && areSameMembers(left, right, { ...descent, keys });
}

function areSameMembers(left: object, right: object, members: Descent & { readonly keys: Iterable<string | number> }): boolean {
  const { meter } = members;
  const inside = { meter, depth: deeper(members) };
  for (const key of members.keys) {
    meter.spend(1);
    const a = ownData(left, key);
    const b = ownData(right, key);
    if (a === undefined || b === undefined) {
      if (a !== b) return false;
    } else if (!isSameAt(a, b, inside)) return false;
  }
  return true;
}

function deeper(descent: Descent): number {
  if (descent.depth >= DATA_DEPTH_MAX) descent.meter.fail(`the data is nested deeper than ${DATA_DEPTH_MAX}; look at a part of it`);
  return descent.depth + 1;
}

/** Returns the value as JSON text with sorted keys: equal data has equal text. */
export function toJsonText(value: Json, meter: Meter): string {
  const parts: string[] = [];
  writeJson(value, parts, { meter, depth: 0 });
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  meter.reserveText(length);
  return parts.join('');
}

function writeJson(value: Json, parts: string[], descent: Descent): void {
  const { meter } = descent;
  meter.spend(1);
  if (typeof value === 'string') meter.reserveText(value.length);
  if (value === null || typeof value !== 'object') {
    parts.push(JSON.stringify(value));
    return;
  }
  const inside = { meter, depth: deeper(descent) };
  const list = isList(value);
  const keys = list ? [...value.keys()] : Object.keys(value);
  meter.spend(keys.length);
  if (!list) keys.sort();
  parts.push(list ? '[' : '{');
  let first = true;
  for (const key of keys) {
    const member = ownData(value, key);
    if (member === undefined && !list) continue;
    if (!first) parts.push(',');
    first = false;
    if (!list) parts.push(JSON.stringify(key), ':');
    writeJson(member ?? null, parts, inside);
  }
  parts.push(list ? ']' : '}');
}

/** Describes a value briefly, for messages. */
export function describe(value: Json, meter: Meter): string {
  if (value === null) return 'null';
  if (isList(value)) return `a list of ${value.length}`;
  if (typeof value === 'object') return describeObject(value);
  if (meter.discreet) return `a ${typeof value === 'string' ? 'text' : typeof value}`;
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return `the number ${value}`;
  return `the text ${JSON.stringify(shortText(value, QUOTED_MAX))}`;
}

function describeObject(value: JsonObject): string {
  const keys = Object.keys(value);
  if (keys.length === 0) return 'an empty object';
  const shown = keys.slice(0, LISTED_KEYS_MAX).map((key) => shortText(key, QUOTED_MAX));
  return `an object with ${shown.join(', ')}${keys.length > shown.length ? ', …' : ''}`;
}

/** True if the list contains the item, the object the key, or the text the part. */
export function holds(container: Json, item: Json, meter: Meter): boolean {
  if (isList(container)) return entriesOf(container, meter).some((entry) => isSame(entry, item, meter));
  if (typeof item === 'string' && isJsonObject(container)) return ownData(container, item) !== undefined;
  if (typeof item === 'string' && typeof container === 'string') return hasText(container, item, meter);
  const [needle, hay] = [describe(item, meter), describe(container, meter)];
  return meter.fail(`cannot look for ${needle} in ${hay}; a list can contain any value, an object a key, and text other text`);
}
