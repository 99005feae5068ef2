import { describe, expect, test } from 'vitest';
import type { Json } from '../base/json.ts';
import { evaluate, parseExpression } from './expression.ts';
import { FILTERS } from './filters.ts';

const SCOPE: Json = {
  list: [3, 1, 2],
  words: ['b', 'a', 'b'],
  rows: [{ n: 1 }, { n: null }],
  object: { b: 1, a: [true] },
  empty: [],
  files: ['a.ts', 'b.ts'],
  $public_api: ['b.ts', 'c.ts'],
};

const EXAMPLES: readonly [source: string, value: Json][] = [
  ['list | contains(2)', true],
  ["object | contains('c')", false],
  ["'abc' | contains('bc')", true],
  ['list | length', 3],
  ['object | length', 2],
  ["'abc' | length", 3],
  ['object | json', '{"a":[true],"b":1}'],
  ["'x\"' | json", '"x\\""'],
  ['3 | string', '3'],
  ["' 2.50 ' | number", 2.5],
  ['object | keys', ['b', 'a']],
  ['object | values', [1, [true]]],
  ['null | default(1)', 1],
  ['false | default(true)', false],
  ['2.345 | round(1)', 2.3],
  ['-0.4 | round', 0],
  ['1e300 | round(2)', 1e300],
  ['-1.5 | floor', -2],
  ['-0.5 | ceil', 0],
  ['-3 | abs', 3],
  ['files | has_public_api', true],
  ['files[0] | has_public_api', false],
  ['empty | has_public_api', false],
  ['null | has_public_api', false],
  ["'AbC' | lower", 'abc'],
  ["'AbC' | upper", 'ABC'],
  ["' a ' | trim", 'a'],
  ["'abc' | starts_with('ab')", true],
  ["'abc' | ends_with('ab')", false],
  ["'v12' | matches('^v[0-9]+$')", true],
  ["'a,b,' | split(',')", ['a', 'b', '']],
  ["'a.b.c' | replace('.', '$&')", 'a$&b$&c'],
  ['list | join', '3, 1, 2'],
  ["words | join('')", 'bab'],
  ['list | first', 3],
  ['list | last', 2],
  ["rows | map('n')", [1, null]],
  ["(rows | map('n')) | last", null],
  ["['b', 'a', 'b', object, object] | unique | length", 3],
  ['list | sort', [1, 2, 3]],
  ['words | sort', ['a', 'b', 'b']],
  ['list | reverse', [2, 1, 3]],
  ['list | sum', 6],
  ['empty | sum', 0],
  ['list | min', 1],
  ['list | max', 3],
  ['empty | max | default(0)', 0],
];

describe('a filter gives', () => {
  test.each(EXAMPLES)('%s', (source, value) => {
    expect(evaluate(parseExpression(source), SCOPE)).toStrictEqual(value);
  });

  test('every filter has an example here', () => {
    const shown = EXAMPLES.flatMap(([source]) => [...source.matchAll(/\| (\w+)/g)].map((match) => match[1]));
    expect([...FILTERS.keys()].filter((name) => !shown.includes(name))).toEqual([]);
  });
});

describe('a filter refuses', () => {
  test.each([
    ['3 | length', 'length needs'],
    ['object | string', '| json'],
    ["'0x10' | number", 'number needs'],
    ['list | keys', 'keys needs'],
    ["'a' | abs", 'needs a number'],
    ['1 | round(99)', '0 to 15'],
    ['list | has_public_api', 'captured files'],
    ['3 | lower', 'needs text'],
    ["'a' | starts_with(3)", 'needs text'],
    ["'a' | replace('', 'b')", 'some text'],
    ['rows | join', "map('name')"],
    ['list | join(3)', 'as its separator'],
    ["list | map('n')", 'needs objects'],
    ["[1, 'a'] | sort", 'all of one kind'],
    ['rows | sort', 'all of one kind'],
    ['words | sum', 'needs numbers'],
    ['[1e308, 1e308] | sum', 'too large'],
    ['empty | min', 'empty list has no min'],
  ])('%s', (source, message) => {
    const expression = parseExpression(source);
    expect(() => evaluate(expression, SCOPE)).toThrow(expect.objectContaining({ code: 'EXPRESSION_EVALUATION' }));
    expect(() => evaluate(expression, SCOPE)).toThrow(message);
  });
});

test('has_public_api is not false for paths of which nothing was recorded', () => {
  expect(() => evaluate(parseExpression('files | has_public_api'), { files: ['a.ts'] })).toThrow('captured files');
});
