// Properties of the whole language over generated expressions. test/expr has the reference interpreter they are compared
// with; `npm run fuzz` runs as many seeds of its fuzzer as one likes.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { casesOf } from '../../test/cases.ts';
import { cpuTimeMs } from '../../test/cpu-time.ts';
import { opinion, secondOpinion, type Trial, tryExpression } from '../../test/expr/differential.ts';
import { prototypeKeys } from '../../test/expr/prototypes.ts';
import { ARITY, meaning } from '../../test/expr/reference.ts';
import { OPERATORS, print, printLeast, type Tree } from '../../test/expr/tree.ts';
import { EngineError } from '../base/error.ts';
import type { Json, JsonObject } from '../base/json.ts';
import { evaluate, parseExpression } from './expression.ts';

// These count cases, not seconds: a busy machine may take its time over them.
const TIMEOUT_MS = 60_000;
const KEYS = ['a', 'b', 'c', 'length', '__proto__', 'x-y'];
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
      .tuple(tie('tree'), fc.constantFrom(...Object.keys(ARITY)), tie('tree'))
      .map(([value, filter, arg]): Tree => ({ is: 'pipe', value, filter, args: ARITY[filter] === 1 ? [arg] : [] })),
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

test(
  'an expression means what the reference interpreter says',
  () => {
    fc.assert(
      fc.property(tree, scope, (node, names) => {
        const expected = secondOpinion(() => meaning(node, names));
        expect(opinion(print(node), names)).toStrictEqual(expected);
        expect(opinion(printLeast(node), names)).toStrictEqual(expected);
      }),
      { numRuns: casesOf(5_000) },
    );
  },
  TIMEOUT_MS,
);

test(
  'seeds of the fuzzer agree with the reference, each soon, and leave the prototypes alone',
  () => {
    const untouched = prototypeKeys();
    const ends = { value: 0, error: 0, unreadable: 0 };
    for (let seed = 1; seed <= casesOf(10_000); seed += 1) ends[trial(seed).ended] += 1;
    expect(prototypeKeys()).toBe(untouched);
    // Were nearly all of one kind, they would say little.
    expect(Math.min(ends.value, ends.error, ends.unreadable)).toBeGreaterThan(casesOf(1_000));
  },
  TIMEOUT_MS,
);

function trial(seed: number): Trial {
  try {
    return tryExpression(seed);
  } catch (thrown) {
    throw new Error(`npm run fuzz -- --seed ${seed}`, { cause: thrown });
  }
}

test(
  'the static paths name every root that an evaluation reads',
  () => {
    fc.assert(
      fc.property(tree, scope, (node, names) => {
        const roots = new Set(parseExpression(print(node)).paths.map((path) => path.segments[0]));
        const named = Object.fromEntries(Object.entries(names).filter(([name]) => roots.has(name)));
        expect(opinion(print(node), named)).toEqual(opinion(print(node), names));
      }),
      { numRuns: casesOf(5_000) },
    );
  },
  TIMEOUT_MS,
);

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

test(
  'any text at all is a value or an EngineError, soon',
  () => {
    let slowestMs = 0;
    fc.assert(
      fc.property(scrambled, scope, (source, names) => {
        const first = settle(source, names);
        // Collecting others' garbage is not the expression's: only one that is slow twice is slow.
        slowestMs = Math.max(slowestMs, first < 50 ? first : settle(source, names));
      }),
      { numRuns: casesOf(10_000) },
    );
    expect(slowestMs).toBeLessThan(50);
  },
  TIMEOUT_MS,
);

/** How long it took to get a value or an EngineError. */
function settle(source: string, names: JsonObject): number {
  const start = cpuTimeMs();
  try {
    evaluate(parseExpression(source), names);
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(EngineError);
  }
  return cpuTimeMs() - start;
}
