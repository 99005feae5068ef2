// Owns the border between live values and data. Whatever enters a run's record passes `toPlain`: plain JSON in,
// plain JSON out, nothing instantiated, nothing silently dropped.
//
// J1. A value with no exact JSON form is refused, naming the path where it was found.
// J2. `toJSON` is honoured once per value, as JSON.stringify does; its result is held to the same rule.
// J3. Keys such as `__proto__` stay what they are: data.

import { EngineError } from './error.ts';

/** Plain data: what JSON can hold and nothing else. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
/** A plain object of JSON values. */
export interface JsonObject {
  readonly [key: string]: Json;
}

const DEPTH_MAX = 200;

/** The value as plain data, copied, or an error that names where it is not. `what` begins the message. */
export function toPlain(value: unknown, what: string): Json {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  checkPlain(value, what, { path: '', parents: [] });
  return JSON.parse(JSON.stringify(value)) as Json;
}

interface Place {
  readonly path: string;
  readonly parents: readonly object[];
}

function checkPlain(value: unknown, what: string, place: Place): void {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return;
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) refuse(what, place, `is ${value}`);
    return;
  }
  if (typeof value !== 'object') refuse(what, place, `is a ${typeof value}`);
  if (place.parents.includes(value)) refuse(what, place, 'refers to itself');
  if (place.parents.length >= DEPTH_MAX) refuse(what, place, `is nested deeper than ${DEPTH_MAX}`);
  const toJson = (value as { toJSON?: unknown }).toJSON;
  const inside = { path: place.path, parents: [...place.parents, value] };
  if (typeof toJson === 'function') checkPlain(toJson.call(value, ''), what, inside);
  else checkMembers(value, what, inside);
}

function checkMembers(value: object, what: string, inside: Place): void {
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) checkPlain(value[index], what, { ...inside, path: `${inside.path}[${index}]` });
    return;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    refuse(what, inside, `is a ${value.constructor?.name ?? 'class instance'} without toJSON`);
  }
  for (const [key, member] of Object.entries(value)) {
    if (member !== undefined) checkPlain(member, what, { ...inside, path: `${inside.path}.${key}` });
  }
}

function refuse(what: string, place: Place, why: string): never {
  const at = place.path === '' ? 'it' : place.path.replace(/^\./, '');
  throw new EngineError('STEP_OUTPUT_INVALID', `${what} is not plain JSON: ${at} ${why}; return data, or give the object a toJSON method`, {
    details: { path: at },
  });
}

/** A copy that whoever gets it may change, of data; a live object, or data with one inside, is passed on as it is. */
export function ownCopy<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  const copy = copyOf(value, 0);
  return copy === LIVE ? value : (copy as T);
}

const LIVE = Symbol('live');

function copyOf(value: unknown, depth: number): unknown {
  if (typeof value === 'function' || typeof value === 'symbol' || depth > DEPTH_MAX) return LIVE;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const list = value.map((member) => copyOf(member, depth + 1));
    return list.includes(LIVE) ? LIVE : list;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return LIVE;
  const members = Object.entries(value).map(([key, member]) => [key, copyOf(member, depth + 1)] as const);
  return members.some(([, member]) => member === LIVE) ? LIVE : Object.fromEntries(members);
}

/** True for an object that is neither null nor a list. */
export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Text that is equal for equal data, whatever the order of keys. */
export function canonicalJson(value: Json): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const object = value as JsonObject;
  const members = Object.keys(object).sort();
  return `{${members.map((key) => `${JSON.stringify(key)}:${canonicalJson(object[key] as Json)}`).join(',')}}`;
}

/** Freezes data all the way down, so that it can be shared. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) deepFreeze(member);
  }
  return value;
}
