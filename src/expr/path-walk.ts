// Follows a path through data, and reports where it ends too early.
//
// - A missing name is an error at that name, never null: only `??` and `default` handle it.
// - After `.*`, an entry without the rest of the path is left out.

import { isJsonObject, isList, type Json } from '../base/json.ts';
import { isReservedName } from '../base/reserved-name.ts';
import { shortText } from '../base/short-text.ts';
import { nearestName } from '../base/suggest.ts';
import { describe, entriesOf, ownData } from './data.ts';
import type { Meter } from './meter.ts';
import type { Node, Segment } from './syntax-tree.ts';

/** What a walk needs from its evaluation. */
export interface Walker {
  readonly meter: Meter;
  value(node: Node): Json;
}

const SUGGEST_KEYS_MAX = 200;
const SUGGEST_LENGTH_MAX = 64;

/** Returns the value at the end of a path from a start value. */
export function walk(start: Json, segments: readonly Segment[], walker: Walker): Json {
  let value = start;
  for (let at = 0; at < segments.length; at += 1) {
    const segment = segments[at] as Segment;
    if (segment.kind === 'each') return everyEntry(value, segments.slice(at), walker);
    const key = keyOf(segment, walker);
    const next = memberOf(value, key);
    if (next === undefined) {
      const meter = atSegment(walker, segment);
      // A computed key may contain a secret.
      return segment.kind === 'dynamic' && meter.discreet ? failWithoutKey(value, meter) : refuseMember(value, key, meter);
    }
    value = next;
  }
  return value;
}

function atSegment(walker: Walker, segment: Segment): Meter {
  walker.meter.offset = segment.offset;
  return walker.meter;
}

function everyEntry(value: Json, segments: readonly Segment[], walker: Walker): Json {
  if (value === null || typeof value !== 'object') {
    const meter = atSegment(walker, segments[0] as Segment);
    if (value === null) meter.absent(() => 'cannot read .* of null');
    return meter.fail(`.* needs a list or an object, but got ${describe(value, meter)}`);
  }
  const found: Json[] = [];
  collect(value, segments, { walker, found });
  return found;
}

interface Collection {
  readonly walker: Walker;
  readonly found: Json[];
}

/** Collects what the segments lead to; several `.*` in one path make one flat list. */
function collect(start: Json, segments: readonly Segment[], into: Collection): void {
  let value = start;
  for (let at = 0; at < segments.length; at += 1) {
    const segment = segments[at] as Segment;
    if (segment.kind === 'each') {
      if (value === null || typeof value !== 'object') return;
      const rest = segments.slice(at + 1);
      for (const entry of entriesOf(value, into.walker.meter)) collect(entry, rest, into);
      return;
    }
    const next = memberOf(value, keyOf(segment, into.walker));
    if (next === undefined) return;
    value = next;
  }
  into.found.push(value);
}

type KeySegment = Exclude<Segment, { kind: 'each' }>;

function keyOf(segment: KeySegment, walker: Walker): string | number {
  walker.meter.spend(1);
  if (segment.kind === 'key') return segment.key;
  const key = walker.value(segment.index);
  if (typeof key === 'string' || typeof key === 'number') return key;
  const meter = atSegment(walker, segment);
  return meter.fail(`an index must be text or a whole number, but is ${describe(key, meter)}`);
}

function memberOf(value: Json, key: string | number): Json | undefined {
  if (isList(value)) {
    if (typeof key === 'number') return Number.isSafeInteger(key) ? ownData(value, key) : undefined;
    return key === 'length' ? value.length : undefined;
  }
  if (typeof value === 'string') return key === 'length' ? value.length : undefined;
  return isJsonObject(value) && typeof key === 'string' ? ownData(value, key) : undefined;
}

/** Like refuseMember, without showing the key. */
function failWithoutKey(value: Json, meter: Meter): never {
  if (value === null || typeof value === 'object') return meter.absent(() => `there is no such field or item here${ADVICE}`);
  return meter.fail(`cannot read a field of ${describe(value, meter)}, which has none`);
}

/** Ends a walk at a missing member: absent if it could exist, an error if it never can. */
function refuseMember(value: Json, key: string | number, meter: Meter): never {
  if (value === null) meter.absent(() => `cannot read ${quote(key)} of null${ADVICE}`);
  if (isJsonObject(value) && typeof key === 'string')
    meter.absent(() => `there is no field ${quote(key)} here${similar(key, value)}${ADVICE}`);
  if (isList(value) && typeof key === 'number' && Number.isSafeInteger(key) && key >= 0) {
    meter.absent(() => `there is no item ${key} in a list of ${value.length}${ADVICE}`);
  }
  if (isList(value) && typeof key === 'number')
    meter.fail(`items of a list are numbered 0, 1, 2, …, not ${key}; the last one is list | last`);
  if (isList(value)) meter.fail(`a list has no field ${quote(key)}; write [0] for an item, or .* for every entry`);
  if (isJsonObject(value)) meter.fail(`a field of an object is named by text, not by ${key}; write ['${key}'], or value | string`);
  return meter.fail(`cannot read ${quote(key)} of ${describe(value, meter)}, which has no fields`);
}

const ADVICE = '; if it may be missing, give a default: a.b ?? null';

/** Returns the value of a scope root. */
export function rootValue(name: string, scope: Json, meter: Meter): Json {
  const value = isJsonObject(scope) ? ownData(scope, name) : undefined;
  if (value !== undefined) return value;
  return meter.absent(() => `there is no name ${quote(name)}${similar(name, scope)}; ${namesOf(scope)}`);
}

function namesOf(scope: Json): string {
  const known = isJsonObject(scope) ? Object.keys(scope).filter((name) => !isReservedName(name)) : [];
  const names = known.slice(0, 20);
  return names.length === 0 ? 'no names exist here' : `the names here are ${names.join(' ')}`;
}

function similar(name: string, container: Json): string {
  if (!isJsonObject(container) || name.length > SUGGEST_LENGTH_MAX) return '';
  const keys = Object.keys(container).slice(0, SUGGEST_KEYS_MAX);
  const dashed = keys.find((key) => key.startsWith(`${name}-`));
  if (dashed !== undefined) return ` (did you mean ['${dashed}']? a dash outside quotes is a minus)`;
  const nearest = nearestName(name, keys);
  return nearest === undefined ? '' : ` (did you mean "${nearest}"?)`;
}

function quote(key: string | number): string {
  return JSON.stringify(shortText(String(key), SUGGEST_LENGTH_MAX));
}
