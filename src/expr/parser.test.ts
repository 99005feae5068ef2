import { describe, expect, test } from 'vitest';
import { EngineError } from '../base/error.ts';
import { parseExpression } from './expression.ts';

function refusal(source: string, where = {}): EngineError {
  try {
    parseExpression(source, where);
  } catch (thrown) {
    if (thrown instanceof EngineError) return thrown;
    throw thrown;
  }
  throw new Error(`${source} was accepted`);
}

describe('what is not in the grammar is refused at its column', () => {
  test.each([
    ["constructor.constructor('return process')()", 24, 'cannot be called'],
    ["result['constructor']['constructor']('x')", 37, 'cannot be called'],
    ["(result).constructor('x')", 21, 'cannot be called'],
    ["'a'.constructor('x')", 16, 'cannot be called'],
    ['1 + result.toString()', 20, '| string'],
    ['result.`constructor`', 8, 'quote text'],
    ['result.\\u0063onstructor', 8, 'backslash'],
    ['result?.constructor', 7, '??'],
    ['`result`', 1, 'quote text'],
    ['this', 1, 'this'],
    ['1 + this.x', 5, 'this'],
    ['globalThis.process', 1, 'globalThis'],
    ["import('fs')", 1, 'import'],
    ['new Date', 1, 'new'],
    ['undefined', 1, 'null'],
    ['a = 1', 3, '=='],
    ['a += 1', 4, '=='],
    ['x => x', 3, 'filter'],
    ['a, b', 2, 'comma'],
    ['(a, b)', 3, 'comma'],
    ['/a+/', 1, 'matches'],
    ['a == /a+/', 6, 'matches'],
    ['a & b', 3, '&&'],
    ['a; b', 2, 'semicolon'],
    ['{a: 1}', 1, 'object'],
    ['list.includes(1)', 14, 'x in list'],
    ['labels[*].name', 8, '.*'],
    ['a.0', 3, '[0]'],
    ['a[]', 3, 'list[0]'],
    ['+1', 1, 'remove it'],
    ['.5', 1, '0.5'],
    ['80px', 3, 'inside a number'],
    ['007', 2, 'inside a number'],
    ['1e999', 1, 'too large'],
    ["'abc", 1, 'closing'],
    ["'\\d'", 2, 'escapes'],
    ['', 1, 'empty'],
    ['  ', 3, 'empty'],
    ['a b', 3, 'operator or the end'],
    ['(a', 3, 'close the parenthesis'],
    ['a)', 2, 'without an opening one'],
    ['a ? b', 6, ':'],
    ['a == not b', 6, 'parentheses'],
    ['and b', 1, 'a value'],
    ['a < b < c', 3, '&&'],
    ['a == b == c', 3, 'parentheses'],
    ['a.b ?? 0 > 3', 5, 'parentheses'],
    ['a || b ?? c', 8, 'parentheses'],
    ['a ?? b && c', 3, 'parentheses'],
    ['!a ?? true', 4, 'parentheses'],
    ['a | lenght', 5, 'did you mean "length"'],
    ['a | contains', 5, "contains('x')"],
    ['a | lower(1)', 5, 'lower'],
    ['a | 3', 5, 'name of a filter'],
    ['{{ a }} and {{ b }}', 6, 'template'],
  ])('%s', (source, column, hint) => {
    const error = refusal(source);
    expect(error.code).toBe('EXPRESSION_SYNTAX');
    expect(error.position).toEqual({ line: 1, column });
    expect(error.message).toContain(hint);
  });
});

test('a position counts from where the source begins in its file', () => {
  expect(refusal('a = 1', { file: 'w.yaml', line: 7, column: 12 }).position).toEqual({ file: 'w.yaml', line: 7, column: 14 });
  expect(refusal('a &&\n  b = 1', { line: 7, column: 12 }).position).toEqual({ line: 8, column: 5 });
  expect(refusal(' {{ a = 1 }}').position).toEqual({ line: 1, column: 7 });
});

describe('a source that is too large is refused before it costs anything', () => {
  test.each([
    ['a megabyte', `a${' '.repeat(1_000_000)}`],
    ['a hundred thousand parentheses', `${'('.repeat(100_000)}1${')'.repeat(100_000)}`],
    ['a chain of ten thousand terms', Array.from({ length: 10_000 }, () => '1').join('+')],
    ['a chain of too many words', Array.from({ length: 1_001 }, () => '1').join('+')],
    ['65 parentheses', `${'('.repeat(65)}1${')'.repeat(65)}`],
    ['65 negations', `${'!'.repeat(65)}true`],
    ['65 minuses', `${'-'.repeat(65)}1`],
    ['65 nots', `${'not '.repeat(65)}true`],
    ['65 choices', `${'true ? 1 : '.repeat(65)}1`],
    ['65 indexes', `${'a['.repeat(65)}0${']'.repeat(65)}`],
    ['65 lists', `${'['.repeat(65)}1${']'.repeat(65)}`],
    ['65 filter arguments', `${'1 | default('.repeat(65)}1${')'.repeat(65)}`],
  ])('%s', (_, source) => {
    const times = [1, 2, 3].map(() => {
      const start = performance.now();
      expect(refusal(source).code).toBe('EXPRESSION_LIMIT');
      return performance.now() - start;
    });
    expect(Math.min(...times)).toBeLessThan(50);
  });

  test('an expression just within the limits is parsed', () => {
    parseExpression(`${'('.repeat(64)}1${')'.repeat(64)}`);
    parseExpression(Array.from({ length: 1_000 }, () => '1').join('+'));
    parseExpression(`'${'a'.repeat(9_998)}'`);
  });
});

describe('the free paths of an expression', () => {
  const pathsOf = (source: string) => parseExpression(source).paths.map((path) => path.segments);

  test.each([
    [
      'result.metrics.delta >= checkpoint.threshold',
      [
        ['result', 'metrics', 'delta'],
        ['checkpoint', 'threshold'],
      ],
    ],
    ["a['b'][0].c", [['a', 'b', 0, 'c']]],
    ['branches.*.feedback', [['branches', '*', 'feedback']]],
    [
      'a.b[c.d].e',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    ["a['*'].b", [['a']]],
    ['(a ?? b).c', [['a'], ['b']]],
    ['x ? y : z | contains(w)', [['x'], ['y'], ['z'], ['w']]],
    ['[p, -q, !r]', [['p'], ['q'], ['r']]],
    ["'text' | length", []],
  ])('%s', (source, expected) => {
    expect(pathsOf(source)).toEqual(expected);
  });

  test('carry their positions', () => {
    expect(parseExpression('a ==\n b', { file: 'f' }).paths.map((path) => path.position)).toEqual([
      { file: 'f', line: 1, column: 1 },
      { file: 'f', line: 2, column: 2 },
    ]);
  });
});
