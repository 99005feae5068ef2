// Owns a second opinion on what an expression means. It is written over the generated tree (tree.ts), in the plainest
// way and without limits, and shares no code with the evaluator: a slip has to be made twice to go unseen.

import type { Json, JsonObject } from '../../src/base/json.ts';
import type { Tree } from './tree.ts';

/** A name or an item is not there. */
export class Gone extends Error {}

/** A value is of the wrong kind. */
export class Wrong extends Error {}

function want<T extends Json>(value: Json, test: (value: Json) => value is T): T {
  if (!test(value)) throw new Wrong();
  return value;
}
const isBoolean = (value: Json) => typeof value === 'boolean';
const isNumber = (value: Json) => typeof value === 'number';
const isText = (value: Json) => typeof value === 'string';
const isArray = (value: Json): value is Json[] => Array.isArray(value);
const isRecord = (value: Json): value is JsonObject => value !== null && typeof value === 'object' && !Array.isArray(value);

/** The value of the tree, or Gone, or Wrong. */
export function meaning(node: Tree, names: JsonObject): Json {
  switch (node.is) {
    case 'value':
      return node.value;
    case 'list':
      return node.items.map((item) => meaning(item, names));
    case 'path':
      return follow(get(names, node.root), node.steps, names);
    case 'not':
      return !want(meaning(node.of, names), isBoolean);
    case 'minus':
      return 0 - want(meaning(node.of, names), isNumber);
    case 'two':
      return two(node, names);
    case 'if':
      return meaning(want(meaning(node.test, names), isBoolean) ? node.yes : node.no, names);
    case 'pipe':
      return pipe(node, names);
  }
}

function get(holder: Json, key: Json): Json {
  if (isArray(holder) && key === 'length') return holder.length;
  if (isText(holder) && key === 'length') return [...Array(holder.length)].length;
  if (typeof key !== 'string' && typeof key !== 'number') throw new Wrong();
  if (holder === null) throw new Gone();
  if (isArray(holder) && typeof key === 'number' && Number.isSafeInteger(key) && key >= 0) {
    if (key < holder.length) return holder[key] as Json;
    throw new Gone();
  }
  if (!isRecord(holder) || typeof key !== 'string') throw new Wrong();
  const entry = Object.entries(holder).find(([name]) => name === key);
  if (entry === undefined) throw new Gone();
  return entry[1];
}

function follow(start: Json, steps: (string | number | Tree)[], names: JsonObject): Json {
  let here = start;
  for (const [at, step] of steps.entries()) {
    if (step === '*') return spread(here, steps.slice(at + 1), names);
    here = get(here, typeof step === 'object' ? meaning(step, names) : step);
  }
  return here;
}

/** Turns each `*` into one flat list; what an entry lacks is left out, but a bad index stays an error. */
function spread(holder: Json, rest: (string | number | Tree)[], names: JsonObject): Json[] {
  if (holder === null) throw new Gone();
  if (typeof holder !== 'object') throw new Wrong();
  return Object.values(holder).flatMap((entry: Json) => {
    let here = [entry];
    for (const step of rest) {
      here = here.flatMap((value) => {
        if (step === '*') return value !== null && typeof value === 'object' ? (Object.values(value) as Json[]) : [];
        const key = typeof step === 'object' ? meaning(step, names) : step;
        if (typeof key !== 'string' && typeof key !== 'number') throw new Wrong();
        try {
          return [get(value, key)];
        } catch {
          return [];
        }
      });
    }
    return here;
  });
}

function equal(left: Json, right: Json): boolean {
  const sorted = (value: Json): unknown =>
    isArray(value)
      ? value.map(sorted)
      : isRecord(value)
        ? [
            'object',
            Object.entries(value)
              .sort(([a], [b]) => (a < b ? -1 : 1))
              .map(([key, member]) => [key, [sorted(member)]]),
          ]
        : { value };
  return JSON.stringify(sorted(left)) === JSON.stringify(sorted(right));
}

function within(item: Json, holder: Json): boolean {
  if (isArray(holder)) return holder.some((member) => equal(member, item));
  if (isRecord(holder)) return Object.keys(holder).indexOf(want(item, isText)) >= 0;
  return want(holder, isText).split(want(item, isText)).length > 1 || item === '';
}

function two(node: Tree & { is: 'two' }, names: JsonObject): Json {
  const { operator } = node;
  if (operator === '??') return otherwise(node.left, node.right, names);
  const left = meaning(node.left, names);
  if (operator === '&&' || operator === 'and') return want(left, isBoolean) ? want(meaning(node.right, names), isBoolean) : false;
  if (operator === '||' || operator === 'or') return want(left, isBoolean) ? true : want(meaning(node.right, names), isBoolean);
  const right = meaning(node.right, names);
  if (operator === '==' || operator === '===') return equal(left, right);
  if (operator === '!=' || operator === '!==') return !equal(left, right);
  if (operator === 'in') return within(left, right);
  if (operator === 'not in') return !within(left, right);
  if (['<', '<=', '>', '>='].includes(operator)) return order(operator, left, right);
  if (operator === '+' && isText(left) && isText(right)) return [left, right].join('');
  return calculate(operator, want(left, isNumber), want(right, isNumber));
}

function otherwise(first: Tree, second: Tree, names: JsonObject): Json {
  try {
    const value = meaning(first, names);
    if (value !== null) return value;
  } catch (thrown) {
    if (!(thrown instanceof Gone)) throw thrown;
  }
  return meaning(second, names);
}

function order(operator: string, left: Json, right: Json): boolean {
  if (!((isNumber(left) && isNumber(right)) || (isText(left) && isText(right)))) throw new Wrong();
  const sign = left === right ? 0 : (left as number) < (right as number) ? -1 : 1;
  return { '<': sign < 0, '<=': sign <= 0, '>': sign > 0, '>=': sign >= 0 }[operator] as boolean;
}

function calculate(operator: string, left: number, right: number): number {
  if (right === 0 && '/%'.includes(operator)) throw new Wrong();
  const result = { '+': left + right, '-': left - right, '*': left * right, '/': left / right, '%': left % right }[operator] as number;
  if (!Number.isFinite(result)) throw new Wrong();
  return result + 0;
}

function pipe(node: Tree & { is: 'pipe' }, names: JsonObject): Json {
  if (node.filter === 'default') return otherwise(node.value, node.args[0] as Tree, names);
  const value = meaning(node.value, names);
  const args = node.args.map((arg) => meaning(arg, names));
  return (FILTERS[node.filter] as (value: Json, ...args: Json[]) => Json)(value, ...args);
}

const FILTERS: Record<string, (value: Json, ...args: Json[]) => Json> = {
  length: (value) => (isRecord(value) ? Object.entries(value).length : isText(value) ? value.length : want(value, isArray).length),
  contains: (value, item) => within(item as Json, value),
  keys: (value) => Object.keys(want(value, isRecord)),
  values: (value) => Object.entries(want(value, isRecord)).map(([, member]) => member),
  lower: (value) => want(value, isText).toLowerCase(),
  upper: (value) => want(value, isText).toUpperCase(),
  trim: (value) => want(value, isText).replace(/^\s+/, '').replace(/\s+$/, ''),
  starts_with: (value, part) => want(value, isText).slice(0, want(part as Json, isText).length) === part,
  ends_with: (value, part) => endsWith(want(value, isText), want(part as Json, isText)),
  split: (value, part) => (part === '' ? [...want(value, isText)] : want(value, isText).split(want(part as Json, isText))),
  json: printJson,
  string: (value) => (isText(value) ? value : isNumber(value) || isBoolean(value) ? JSON.stringify(value) : wrong()),
  abs: (value) => (want(value, isNumber) < 0 ? 0 - (value as number) : value),
  floor: (value) => Math.floor(want(value, isNumber)) + 0,
  reverse: (value) => [...want(value, isArray)].reverse(),
  sum: (value) => want(value, isArray).reduce<number>((sum, item) => calculate('+', sum, want(item, isNumber)), 0),
  min: (value) =>
    someOf(
      want(value, isArray)
        .map((item) => want(item, isNumber))
        .sort((a, b) => a - b),
    ),
  max: (value) =>
    someOf(
      want(value, isArray)
        .map((item) => want(item, isNumber))
        .sort((a, b) => b - a),
    ),
  first: (value) => someOf(want(value, isArray)),
  last: (value) => someOf([...want(value, isArray)].reverse()),
  join: (value, between) => {
    const texts = want(value, isArray).map((item) => (item === null || typeof item === 'object' ? wrong() : `${item}`));
    return texts.join(want(between as Json, isText));
  },
  unique: (value) => want(value, isArray).filter((item, at, all) => all.findIndex((other) => equal(other, item)) === at),
  map: (value, field) => {
    const name = want(field as Json, isText);
    return want(value, isArray).map((item) => get(want(item, isRecord), name));
  },
};

/** Every filter the reference knows, with the number of arguments it is generated with. */
export const ARITY: Readonly<Record<string, number>> = {
  default: 1,
  ...Object.fromEntries(Object.entries(FILTERS).map(([name, filter]) => [name, filter.length - 1])),
};

function wrong(): never {
  throw new Wrong();
}

function someOf(list: readonly Json[]): Json {
  if (list.length === 0) throw new Gone();
  return list[0] as Json;
}

function endsWith(text: string, part: string): boolean {
  return text.slice(text.length - part.length) === part;
}

/** The value as JSON with sorted keys. */
export function printJson(value: Json): string {
  if (isArray(value)) return `[${value.map(printJson).join()}]`;
  if (!isRecord(value)) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${printJson(member)}`).join()}}`;
}
