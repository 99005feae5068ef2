import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cpuTimeMs } from '../../test/cpu-time.ts';
import { evaluate, parseExpression } from './expression.ts';
import { findPattern, patternProblem } from './pattern.ts';

const expression = parseExpression('text | matches(pattern)');
const matches = (text: string, pattern: string) => evaluate(expression, { text, pattern });

const atom = fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '[a-b-]', '\\d', '\\W', '\\.', '\\s', '-');
const { pattern } = fc.letrec<{ pattern: string; piece: string }>((tie) => ({
  pattern: fc.array(tie('piece'), { maxLength: 4 }).map((pieces) => pieces.join('')),
  piece: fc.oneof(
    { maxDepth: 2 },
    atom,
    fc.constantFrom('^', '$', '\\b', '\\B'),
    fc.tuple(atom, fc.constantFrom('*', '+', '?', '{2}', '{1,}', '{0,2}', '*?')).map((parts) => parts.join('')),
    fc
      .tuple(tie('pattern'), tie('pattern'), fc.constantFrom('', '*', '+', '{2,3}'))
      .map(([left, right, count]) => `(${left}|${right})${count}`),
  ),
}));

describe('a pattern', () => {
  test('matches what the same regular expression matches', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '1', ' ', '.', '\n', '-'), maxLength: 8 });
    fc.assert(
      fc.property(pattern, text, (source, subject) => {
        expect(matches(subject, source)).toBe(new RegExp(source).test(subject));
      }),
      { numRuns: 3_000 },
    );
  });

  test('a pattern that makes others backtrack is matched in linear time', () => {
    const times = [1, 2, 3].map(() => {
      const start = cpuTimeMs();
      expect(matches(`${'a'.repeat(40)}!`, '(a+)+$')).toBe(false);
      expect(matches('a'.repeat(5_000), '^(a|a)*b')).toBe(false);
      return cpuTimeMs() - start;
    });
    expect(Math.min(...times)).toBeLessThan(50);
  });

  test.each([
    '(',
    ')',
    '[a',
    'a**',
    '*',
    '(?=a)',
    '(?<n>a)',
    '\\1',
    '\\k',
    'a{',
    'a{2,1}',
    '[b-a]',
    '\\',
    '^*',
    `${'('.repeat(40)}`,
    'a'.repeat(1_001),
  ])('that is none is refused: %s', (source) => {
    expect(() => matches('a', source)).toThrow(expect.objectContaining({ code: 'EXPRESSION_EVALUATION' }));
  });
});

describe('finding all that a pattern matches', () => {
  test('gives what the regular expression of names gives, from left to right', () => {
    const names = fc.constantFrom('\\bF-\\d+\\b', 'F-\\d', '[A-Z]-[0-9]{1,2}', '(F|G)-\\d+', '\\d*', 'F.\\d');
    const text = fc.string({ unit: fc.constantFrom('F', 'G', '-', '1', '2', ' ', '\n', 'a'), maxLength: 20 });
    fc.assert(
      fc.property(names, text, (source, subject) => {
        expect(findPattern(subject, source)).toEqual((subject.match(new RegExp(source, 'g')) ?? []).filter((name) => name !== ''));
      }),
      { numRuns: 1_000 },
    );
  });

  test('ends on a text on which a regular expression would not', () => {
    expect(findPattern(`${'a'.repeat(40)}!`, '(a+)+$')).toEqual([]);
    expect(findPattern('a'.repeat(5_000), '^(a|a)*b')).toEqual([]);
  });

  test('finding rejects a pattern that cannot be matched in linear time', () => {
    expect(patternProblem('(?=a)b')).toContain('has a special group');
    expect(patternProblem('(a)\\1')).toContain('has an unknown \\1');
    expect(patternProblem('F-\\d+')).toBeUndefined();
  });
});
