// Owns the boundary between live values and data. Everything that enters a run's record passes `toPlain`: plain JSON in,
// plain JSON out, nothing instantiated, nothing silently dropped.
//
// JS1. A value without an exact JSON form is rejected with its path.
// JS2. `toJSON` is called once per value, as JSON.stringify does; its result must follow the same rule.
// JS3. Keys such as `__proto__` stay data.

import { EngineError } from './error.ts';

/** Plain data: exactly what JSON can represent. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
/** A plain object of JSON values. */
export interface JsonObject {
  readonly [key: string]: Json;
}

const DEPTH_MAX = 200;

/** True for a list; narrows where Array.isArray loses `readonly`. */
export function isList<T>(value: T): value is Extract<T, readonly unknown[]> {
  return Array.isArray(value);
}

/** Returns a copy of the value as plain data; if a part of it is not plain, throws an error with its path. */
export function toPlain(value: unknown, subject: string): Json {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  const fault = plainFault(value);
  if (fault !== undefined) {
    const message = `${subject} is not plain JSON: ${fault.path} ${fault.reason}; return data, or give the object a toJSON method`;
    throw new EngineError('STEP_OUTPUT_INVALID', message, { details: { path: fault.path } });
  }
  return JSON.parse(JSON.stringify(value)) as Json;
}

/** Why a value is not plain JSON, and where in it; `it` is the value itself. */
export interface PlainFault {
  readonly path: string;
  readonly reason: string;
}

interface Place {
  readonly path: string;
  readonly parents: readonly object[];
}

/** Returns the first reason why a value is not plain JSON. */
export function plainFault(value: unknown, place: Place = { path: '', parents: [] }): PlainFault | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return undefined;
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : faultAt(place, `is ${value}`);
  if (typeof value !== 'object') return faultAt(place, `is a ${typeof value}`);
  if (place.parents.includes(value)) return faultAt(place, 'refers to itself');
  if (place.parents.length >= DEPTH_MAX) return faultAt(place, `is nested deeper than ${DEPTH_MAX}`);
  const toJson = (value as { toJSON?: unknown }).toJSON;
  const inside = { path: place.path, parents: [...place.parents, value] };
  return typeof toJson === 'function' ? plainFault(toJson.call(value, ''), inside) : memberFault(value, inside);
}

function memberFault(value: object, inside: Place): PlainFault | undefined {
  const prototype: unknown = Object.getPrototypeOf(value);
  const isArray = Array.isArray(value);
  if (!isArray && prototype !== Object.prototype && prototype !== null) return faultAt(inside, `is ${kindOfObject(value)} without toJSON`);
  // By index, because a list may have holes.
  if (isArray)
    for (let index = 0; index < value.length; index += 1) {
      const fault = plainFault(value[index], { ...inside, path: `${inside.path}[${index}]` });
      if (fault !== undefined) return fault;
    }
  else
    for (const [key, member] of Object.entries(value)) {
      const fault = member === undefined ? undefined : plainFault(member, { ...inside, path: `${inside.path}.${key}` });
      if (fault !== undefined) return fault;
    }
  return undefined;
}

function faultAt({ path }: Place, reason: string): PlainFault {
  return { path: path === '' ? 'it' : path.replace(/^\./, ''), reason };
}

/** What an object that is not plain is, for a message. The bundle shortens the names of our classes, so they say nothing. */
function kindOfObject(value: object): string {
  if ('yields' in value) return 'a step';
  const name = value.constructor?.name ?? '';
  if (value instanceof Error || /^[A-Z]\w{2,}$/.test(name)) return `a ${name}`;
  return 'an instance of a class';
}

/**
 * Returns a deep copy, which its receiver may change. Lists, objects, maps, sets, dates and buffers are copied; live values
 * in them (class instances, functions, objects with methods) are not.
 */
export function deepCopy<T>(value: T): T {
  return typeof value === 'object' && value !== null ? (copyOf(value, { made: new Map(), depth: 0 }) as T) : value;
}

interface Copying {
  /** The copies so far, so that repeated and circular references are the same in the copy. */
  readonly made: Map<object, object>;
  readonly depth: number;
}

function copyOf(value: unknown, { made, depth }: Copying): unknown {
  if (typeof value !== 'object' || value === null || depth > DEPTH_MAX) return value;
  const known = made.get(value);
  if (known !== undefined) return known;
  const inside = { made, depth: depth + 1 };
  if (Array.isArray(value)) return copyList(value, inside);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return copyBuiltIn(value, prototype, inside);
  const members = Object.entries(value);
  // Methods belong to their object: in a copy they would work on another object.
  if (members.some(([, member]) => typeof member === 'function')) return value;
  const copy = {};
  made.set(value, copy);
  for (const [key, member] of members) {
    const own = copyOf(member, inside);
    if (key === '__proto__') Object.defineProperty(copy, key, { value: own, enumerable: true, configurable: true, writable: true });
    else (copy as Record<string, unknown>)[key] = own;
  }
  return copy;
}

function copyList(list: readonly unknown[], inside: Copying): unknown[] {
  const copy: unknown[] = [];
  inside.made.set(list, copy);
  for (const member of list) copy.push(copyOf(member, inside));
  return copy;
}

/** Built-in data types are copied; an instance of anything else, including a subclass, is live. */
function copyBuiltIn(value: object, prototype: unknown, inside: Copying): object {
  if (prototype === Date.prototype) return new Date(value as Date);
  if (ArrayBuffer.isView(value)) return copyView(value);
  if (prototype === Map.prototype) {
    const copy = new Map<unknown, unknown>();
    inside.made.set(value, copy);
    for (const [key, member] of value as Map<unknown, unknown>) copy.set(copyOf(key, inside), copyOf(member, inside));
    return copy;
  }
  if (prototype === Set.prototype) {
    const copy = new Set<unknown>();
    inside.made.set(value, copy);
    for (const member of value as Set<unknown>) copy.add(copyOf(member, inside));
    return copy;
  }
  return value;
}

/** Copies the bytes into a view of the same type. Shared memory stays shared. */
function copyView(view: ArrayBufferView): ArrayBufferView {
  if (view.buffer instanceof SharedArrayBuffer || view instanceof DataView) return view;
  return Uint8Array.prototype.slice.call(view);
}

/** True for an object that is neither null nor a list. For data only: the values of its fields are not checked. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The field of an object; undefined if the value is not an object. */
export function fieldOf(value: Json | undefined, name: string): Json | undefined {
  return isJsonObject(value) ? value[name] : undefined;
}

/** A value as text: a string as it is, everything else as JSON. */
export function jsonText(value: Json, indent?: number): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, indent);
}

/** Parses JSON; undefined if the text is not JSON. */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** Parses a JSON object; undefined if the text is anything else. */
export function parseJsonObject(text: string): JsonObject | undefined {
  const value = parseJson(text);
  return isJsonObject(value) ? value : undefined;
}

/** Returns text that is equal for equal data, whatever the order of keys. */
export function canonicalJson(value: Json): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const object = value as JsonObject;
  const members = Object.keys(object).sort();
  return `{${members.map((key) => `${JSON.stringify(key)}:${canonicalJson(object[key] as Json)}`).join(',')}}`;
}

/** Freezes data deeply, so that it can be shared. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) deepFreeze(member);
  }
  return value;
}
