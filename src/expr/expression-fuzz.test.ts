// Properties of the whole language over generated expressions. The reference interpreter below is written over the
// generated tree, apart from the one under test: it shares no code with it, so that a slip has to be made twice.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EngineError } from '../base/error.ts';
import type { Json, JsonObject } from '../base/json.ts';
import { evaluate, parseExpression } from './expression.ts';

type Tree =
  | { is: 'value'; value: null | boolean | number | string }
  | { is: 'list'; items: Tree[] }
  | { is: 'path'; root: string; steps: (string | number | '*' | Tree)[] }
  | { is: 'not' | 'minus'; of: Tree }
  | { is: 'two'; operator: string; left: Tree; right: Tree }
  | { is: 'if'; test: Tree; yes: Tree; no: Tree }
  | { is: 'pipe'; value: Tree; filter: string; args: Tree[] };

const KEYS = ['a', 'b', 'c', 'length', '__proto__', 'x-y'];
const OPERATORS = ['==', '!=', '===', '!==', '<', '<=', '>', '>=', 'in', 'not in', '+', '-', '*', '/', '%', '&&', '||', 'and', 'or', '??'];
const PIPES: Record<string, number> = { length: 0, contains: 1, default: 1, first: 0, last: 0, reverse: 0, keys: 0, lower: 0, sum: 0 };

const scalar = fc.oneof(
  fc.constantFrom(null, true, false, 0, 1, 2, -1, 2.5, 'a', 'b', 'ab', ''),
  fc.string({ maxLength: 4 }),
  fc.integer({ min: 0, max: 1_000 }),
);
const literal = scalar.filter((value) => typeof value !== 'number' || value >= 0).map((value): Tree => ({ is: 'value', value }));

const number = fc.constantFrom(0, 1, 2, 2.5, 7);
const text = fc.constantFrom('', 'a', 'b', 'ab');
const pair = (operators: string[], side: fc.Arbitrary<Tree>): fc.Arbitrary<Tree> =>
  fc.record({ is: fc.constant('two' as const), operator: fc.constantFrom(...operators), left: side, right: side });
const asTree = (value: number | string): Tree => ({ is: 'value', value });

/** Operands that fit their operators: without these, nearly every tree would be an error at its first leaf. */
const fitting = fc.letrec<{ number: Tree; truth: Tree }>((tie) => ({
  number: fc.oneof(
    { depthSize: 'small' },
    number.map(asTree),
    pair(['+', '-', '*', '/', '%'], tie('number')),
    fc.record({ is: fc.constant('minus' as const), of: tie('number') }),
  ),
  truth: fc.oneof(
    { depthSize: 'small' },
    pair(['<', '<=', '>', '>=', '==', '!='], tie('number')),
    pair(['<', '<=', '>', '>=', '==', '!=', 'in', 'not in'], text.map(asTree)),
    pair(['&&', '||', 'and', 'or', '==', '!='], tie('truth')),
    fc.record({ is: fc.constant('not' as const), of: tie('truth') }),
    fc.record({ is: fc.constant('if' as const), test: tie('truth'), yes: tie('truth'), no: tie('truth') }),
  ),
}));

const { tree } = fc.letrec<{ tree: Tree; path: Tree }>((tie) => ({
  path: fc.record({
    is: fc.constant('path' as const),
    root: fc.constantFrom('a', 'b', 'c', 'd'),
    steps: fc.array(
      fc.oneof({ weight: 6, arbitrary: fc.constantFrom<string | number>(...KEYS, 0, 1, '*') }, { weight: 1, arbitrary: tie('tree') }),
      {
        maxLength: 3,
      },
    ),
  }) as fc.Arbitrary<Tree>,
  tree: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    literal,
    tie('path'),
    fitting.truth,
    fitting.number,
    fc.record({ is: fc.constantFrom('not' as const, 'minus' as const), of: tie('tree') }),
    fc.record({ is: fc.constant('two' as const), operator: fc.constantFrom(...OPERATORS), left: tie('tree'), right: tie('tree') }),
    fc.record({ is: fc.constant('if' as const), test: tie('tree'), yes: tie('tree'), no: tie('tree') }),
    fc.record({ is: fc.constant('list' as const), items: fc.array(tie('tree'), { maxLength: 3 }) }),
    fc
      .tuple(tie('tree'), fc.constantFrom(...Object.keys(PIPES)), tie('tree'))
      .map(([value, filter, arg]): Tree => ({ is: 'pipe', value, filter, args: PIPES[filter] === 1 ? [arg] : [] })),
  ),
}));

const data: fc.Arbitrary<Json> = fc.letrec<{ data: Json }>((tie) => ({
  data: fc.oneof(
    { depthSize: 'small' },
    scalar,
    fc.array(tie('data'), { maxLength: 3 }),
    fc.array(fc.tuple(fc.constantFrom(...KEYS), tie('data')), { maxLength: 4 }).map((entries) => Object.fromEntries(entries)),
  ),
})).data;
const scope: fc.Arbitrary<JsonObject> = fc.record({ a: data, b: data, c: data }, { requiredKeys: [] });

/** Source of the tree with all parentheses written, so that only meaning is compared and not precedence. */
function print(node: Tree): string {
  switch (node.is) {
    case 'value':
      return typeof node.value === 'string' ? quoted(node.value) : String(node.value);
    case 'list':
      return `[${node.items.map(print).join(', ')}]`;
    case 'path':
      return node.root + node.steps.map(printStep).join('');
    case 'not':
      return `(not ${print(node.of)})`;
    case 'minus':
      return `(-${print(node.of)})`;
    case 'two':
      return `(${print(node.left)} ${node.operator} ${print(node.right)})`;
    case 'if':
      return `(${print(node.test)} ? ${print(node.yes)} : ${print(node.no)})`;
    case 'pipe':
      return `(${print(node.value)} | ${node.filter}${node.args.length > 0 ? `(${node.args.map(print).join(', ')})` : ''})`;
  }
}

function quoted(text: string): string {
  return `"${text.replaceAll(/[^\w .]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)}"`;
}

function printStep(step: string | number | Tree): string {
  if (typeof step === 'object') return `[${print(step)}]`;
  if (step === '*') return '.*';
  if (typeof step === 'number') return `[${step}]`;
  return /^\w+$/.test(step) ? `.${step}` : `['${step}']`;
}

class Gone extends Error {}
class Wrong extends Error {}

function want<T extends Json>(value: Json, test: (value: Json) => value is T): T {
  if (!test(value)) throw new Wrong();
  return value;
}
const isBoolean = (value: Json) => typeof value === 'boolean';
const isNumber = (value: Json) => typeof value === 'number';
const isText = (value: Json) => typeof value === 'string';
const isArray = (value: Json): value is Json[] => Array.isArray(value);
const isRecord = (value: Json): value is JsonObject => value !== null && typeof value === 'object' && !Array.isArray(value);

function meaning(node: Tree, names: JsonObject): Json {
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
  if (isArray(holder) && typeof key === 'number' && Number.isInteger(key) && key >= 0) {
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
  switch (node.filter) {
    case 'length':
      return isRecord(value) ? Object.entries(value).length : isText(value) ? value.length : want(value, isArray).length;
    case 'contains':
      return within(meaning(node.args[0] as Tree, names), value);
    case 'keys':
      return Object.keys(want(value, isRecord));
    case 'lower':
      return want(value, isText).toLowerCase();
    case 'reverse':
      return [...want(value, isArray)].reverse();
    case 'sum':
      return want(value, isArray).reduce<number>((sum, item) => calculate('+', sum, want(item, isNumber)), 0);
    default: {
      const list = want(value, isArray);
      if (list.length === 0) throw new Gone();
      return list[node.filter === 'first' ? 0 : list.length - 1] as Json;
    }
  }
}

/** The value, or which kind of error there was: an absent name tells itself by what `??` makes of it. */
function ours(source: string, names: JsonObject): Json {
  const answered = (text: string): Json => {
    try {
      return { value: evaluate(parseExpression(text), names) };
    } catch (thrown) {
      if (thrown instanceof EngineError && thrown.code === 'EXPRESSION_EVALUATION') return 'wrong';
      throw thrown;
    }
  };
  const direct = answered(source);
  return direct === 'wrong' && answered(`(${source}) ?? 0`) !== 'wrong' ? 'gone' : direct;
}

function theirs(node: Tree, names: JsonObject): Json {
  try {
    return { value: meaning(node, names) };
  } catch (thrown) {
    if (thrown instanceof Gone) return 'gone';
    if (thrown instanceof Wrong) return 'wrong';
    throw thrown;
  }
}

test('an expression means what the reference interpreter says', () => {
  fc.assert(
    fc.property(tree, scope, (node, names) => {
      expect(JSON.stringify(ours(print(node), names))).toBe(JSON.stringify(theirs(node, names)));
    }),
    { numRuns: 20_000 },
  );
});

test('the static paths name every root that an evaluation reads', () => {
  fc.assert(
    fc.property(tree, scope, (node, names) => {
      const roots = new Set(parseExpression(print(node)).paths.map((path) => path.segments[0]));
      const named = Object.fromEntries(Object.entries(names).filter(([name]) => roots.has(name)));
      expect(ours(print(node), named)).toEqual(ours(print(node), names));
    }),
    { numRuns: 5_000 },
  );
});

const WORDS = [
  'a',
  'b.c',
  '.',
  '*',
  '[',
  ']',
  '(',
  ')',
  '1',
  "'x'",
  '"',
  "'",
  '|',
  'length',
  'first',
  'not',
  'in',
  '?',
  '??',
  ':',
  '==',
  '<',
  '-',
  '!',
  ',',
  '{{',
  '}}',
  '\\',
];
const scrambled = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.array(fc.constantFrom(...WORDS), { maxLength: 40 }).map((words) => words.join(' ')),
  tree.map(print),
  fc.tuple(tree.map(print), fc.nat(), fc.constantFrom(...WORDS)).map(([text, at, word]) => {
    const cut = at % (text.length + 1);
    return text.slice(0, cut) + word + text.slice(cut + 1);
  }),
);

test('any text at all is a value or an EngineError, soon', () => {
  let slowestMs = 0;
  fc.assert(
    fc.property(scrambled, scope, (source, names) => {
      const first = settle(source, names);
      // A pause of the machine is not the expression's: only one that is slow twice is slow.
      slowestMs = Math.max(slowestMs, first < 50 ? first : settle(source, names));
    }),
    { numRuns: 20_000 },
  );
  expect(slowestMs).toBeLessThan(50);
});

/** How long it took to get a value or an EngineError. */
function settle(source: string, names: JsonObject): number {
  const start = performance.now();
  try {
    evaluate(parseExpression(source), names);
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(EngineError);
  }
  return performance.now() - start;
}
