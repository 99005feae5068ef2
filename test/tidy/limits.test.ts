import { describe, expect, test } from 'vitest';
import { limitViolations } from './limits.ts';
import { parseSource } from './source.ts';

const violations = (text: string, path = 'src/base/sample.ts') => limitViolations(parseSource(path, text));
const functionOf = (lines: number) => `function long() {\n${'  work();\n'.repeat(lines - 2)}}\n`;

describe('the size limits', () => {
  test('the size limits allow a file of 500 lines and no more', () => {
    expect(violations('work();\n'.repeat(500))).toEqual([]);
    expect(violations('work();\n'.repeat(501))).toEqual(['src/base/sample.ts:1 has 501 lines; split it by concept, the limit is 500']);
  });

  test('the size limits allow a function of 70 lines and no more', () => {
    expect(violations(functionOf(70))).toEqual([]);
    expect(violations(functionOf(71))).toEqual(['src/base/sample.ts:1 is a function of 71 lines; the limit is 70']);
  });

  test('the size limits spare the functions of a test, but not its file', () => {
    expect(violations(functionOf(71), 'src/base/sample.test.ts')).toEqual([]);
    expect(violations('work();\n'.repeat(501), 'src/base/sample.test.ts')).toHaveLength(1);
  });

  test.each([
    ['a function', 'function f(a, b, c, d) {}'],
    ['an arrow', 'const f = (a, b, c, d) => a;'],
    ['a constructor', 'class A { constructor(a, b, c, d) {} }'],
    ['a method', 'const o = { f(a, b, c, d) {} };'],
  ])('the size limits allow three positional parameters: %s', (_form, text) => {
    expect(violations(text)[0]).toContain('takes 4 positional parameters');
    expect(violations(text.replace(', d', ''))).toEqual([]);
  });

  test('the size limits do not count the type of this', () => {
    expect(violations('function f(this: object, a: number, b: number, c: number) {}')).toEqual([]);
  });
});
