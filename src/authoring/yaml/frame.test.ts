// Owns the rules of the picture of a place.

import { describe, expect, it } from 'vitest';
import { frameOf } from './frame.ts';

const frame = (text: string, line: number, column: number) => frameOf(text, { line, column });

it('a place is marked below its line, between its neighbours', () => {
  expect(frame('a: 1\nbb: 2\nc: 3\nd: 4\n', 2, 5)).toEqual(['1 | a: 1', '2 | bb: 2', '  |     ^', '3 | c: 3']);
});

it('the first and the last line have one neighbour, and the end of the file is no line', () => {
  expect(frame('a: 1\nb: 2\n', 1, 1)).toEqual(['1 | a: 1', '  | ^', '2 | b: 2']);
  expect(frame('a: 1\nb: 2\n', 2, 4)).toEqual(['1 | a: 1', '2 | b: 2', '  |    ^']);
  expect(frame('', 1, 1)).toEqual(['1 |', '  | ^']);
});

it('numbers stand under each other', () => {
  expect(frame('x\n'.repeat(12), 9, 1)).toEqual([' 8 | x', ' 9 | x', '   | ^', '10 | x']);
});

describe('the mark stands below its character', () => {
  it.each([
    ['behind tabs', '\t\ta: x', 3],
    ['behind wide characters', 'a: 漢字 x', 7],
    ['behind a character of several code points', 'a: 👩‍👩‍👧 x', 13],
    ['behind control characters', 'a: \u001b[31m x', 10],
  ])('%s', (_, text, column) => {
    const [line = '', mark = ''] = frame(text, 1, column);
    const width = [...new Intl.Segmenter().segment(line.slice(0, line.lastIndexOf(text.charAt(column - 1))))].reduce(
      (sum, { segment }) => sum + (/[\u4e00-\u9fff]|\p{Extended_Pictographic}/u.test(segment) ? 2 : 1),
      0,
    );
    expect(mark.indexOf('^')).toBe(width);
  });
});

it('no row is wider than 80 columns, and the place is always in it', () => {
  const text = `${'x'.repeat(300)}!${'y'.repeat(300)}`;
  for (const column of [1, 40, 76, 77, 78, 301, 601, 602]) {
    const rows = frame(`before\n${text}\n${text}`, 2, column);
    expect(Math.max(...rows.map((row) => row.length))).toBeLessThanOrEqual(80);
    const mark = (rows[2] ?? '').indexOf('^');
    expect((rows[1] ?? '').charAt(mark)).toBe(column === 602 ? '' : text.charAt(column - 1));
  }
});

it('a line that fits is shown whole; of one that does not, both cuts are marked', () => {
  const fits = `a: ${'x'.repeat(73)}`;
  expect(frame(fits, 1, 76)).toEqual([`1 | ${fits}`, `  | ${' '.repeat(75)}^`]);
  expect(frame('x'.repeat(300), 1, 150)[0]).toBe(`1 | …${'x'.repeat(74)}…`);
  expect(frame('x'.repeat(300), 1, 1)[0]).toBe(`1 | ${'x'.repeat(75)}…`);
});

it('wide characters are never cut in two', () => {
  const rows = frame(`a${'漢'.repeat(200)}`, 1, 120);
  expect(rows.map((row) => [...row].reduce((sum, character) => sum + (character === '漢' ? 2 : 1), 0)).every((width) => width <= 80)).toBe(
    true,
  );
});

it('nothing of the file steers a terminal', () => {
  expect(frame('a: \u001b[2J\u202ex\u0007', 1, 1).join('')).toBe('1 | a: [2Jx  | ^');
});

it('a place outside the file is shown at its end', () => {
  expect(frame('a: 1\n', 7, 1)).toEqual(['1 | a: 1', '  | ^']);
});
