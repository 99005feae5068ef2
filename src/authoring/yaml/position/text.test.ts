// Owns the rule that every character of a text is found where it is written, however it is written.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { cpuTimeMs } from '../../../../test/cpu-time.ts';
import { readSource } from '../read/source.ts';
import { Positions } from './position.ts';

function positionsOf(text: string): Positions {
  const { root, placeAt } = readSource(text);
  return new Positions({ text, file: 'f.yaml', root, placeAt });
}

/** Where the `@` of the text under `a` stands, as line and column. */
function placeOfMark(text: string): string {
  const { root } = readSource(text);
  const value = root?.members?.get('a')?.value;
  if (typeof value !== 'string') throw new Error(`no text in ${JSON.stringify(text)}`);
  const before = value.slice(0, value.indexOf('@')).split('\n');
  const { line, column } = positionsOf(text).within(['a'], { line: before.length, column: (before.at(-1) ?? '').length + 1 });
  return `${line}:${column}`;
}

it.each([
  ['plain', 'a: xx@', '1:6'],
  ['plain over lines', 'a: xx\n  yy\n\n  zz @', '4:6'],
  ['single quotes with a quote inside', "a: 'it''s @'", '1:11'],
  ['double quotes with escapes', 'a: "\\t\\u00e9\\x41\\"@"', '1:19'],
  ['double quotes with a character of two units', 'a: "\\U0001f600@"', '1:15'],
  ['double quotes over lines', 'a: "xx\n   yy\n\n   @"', '4:4'],
  ['double quotes with an escaped line end', 'a: "xx \\\n   @"', '2:4'],
  ['a literal block', 'a: |\n  x\n\n    y\n  @\n', '5:3'],
  ['a literal block that keeps its end', 'a: |+\n\n  x\n  @\n\n', '4:3'],
  ['a literal block with its indentation named', 'a: |1\n   x\n @\n', '3:2'],
  ['a folded block', 'a: >\n  x\n  y\n\n  z @\n', '5:5'],
  ['a folded block with a list inside', 'a: >-\n  x\n    - y\n  @\n', '4:3'],
  ['a block with Windows line ends', 'a: |\r\n  x\r\n  @\r\n', '3:3'],
  ['through an alias, where it is written', 'b: &b "x @"\na: *b\n', '1:10'],
])('a character is found in %s', (_, text, place) => {
  expect(placeOfMark(text)).toBe(place);
});

it('every visible character is found, in whatever way a text is written', () => {
  const character = fc.constantFrom('x', 'y', ' ', '\n', "'", '"', '\\', 'é', '😀', ':', '#', '-', '\t');
  const styles = ['PLAIN', 'QUOTE_SINGLE', 'QUOTE_DOUBLE', 'BLOCK_LITERAL', 'BLOCK_FOLDED'] as const;
  fc.assert(
    fc.property(
      fc.array(character, { maxLength: 40 }),
      fc.constantFrom(...styles),
      fc.constantFrom(12, 40),
      (characters, style, lineWidth) => {
        const value = `${characters.join('')}@`;
        const text = stringify({ a: value }, { defaultStringType: style, lineWidth, minContentWidth: 0 });
        fc.pre(readSource(text).root?.members?.get('a')?.value === value);
        const rows = text.split('\n');
        const positions = positionsOf(text);
        value.split('\n').forEach((line, index) => {
          [...line.matchAll(/[xy@]/g)].forEach((match) => {
            const place = positions.within(['a'], { line: index + 1, column: match.index + 1 });
            expect(rows[place.line - 1]?.charAt(place.column - 1)).toBe(match[0]);
          });
        });
      },
    ),
    { numRuns: 2_000 },
  );
});

it('an origin is the first character, and the indentation of a block', () => {
  const positions = positionsOf('a: "x"\nb:\n  - |\n    x\n    y\n  - plain\n');
  expect(positions.originOf(['a'])).toEqual({ file: 'f.yaml', line: 1, column: 5 });
  expect(positions.originOf(['b', 0])).toEqual({ file: 'f.yaml', line: 4, column: 5, indent: 4 });
  expect(positions.originOf(['b', 1])).toEqual({ file: 'f.yaml', line: 6, column: 5 });
});

it('a position is the value or its key; for what is missing, what would hold it', () => {
  const positions = positionsOf('a:\n  b: [1, 2]\n');
  expect(positions.positionOf(['a', 'b'])).toEqual({ file: 'f.yaml', line: 2, column: 6 });
  expect(positions.positionOf(['a', 'b'], 'key')).toEqual({ file: 'f.yaml', line: 2, column: 3 });
  expect(positions.positionOf(['a', 'b', 1])).toEqual({ file: 'f.yaml', line: 2, column: 10 });
  expect(positions.positionOf(['a', 'c', 'd'])).toEqual({ file: 'f.yaml', line: 1, column: 1 });
});

it('a long stretch of spaces is looked at once', () => {
  const text = `a: x${' '.repeat(150_000)}@\n`;
  const start = cpuTimeMs();
  expect(placeOfMark(text)).toBe('1:150005');
  expect(cpuTimeMs() - start).toBeLessThan(2_000);
});
