// Owns the rules of code frames.

import { describe, expect, it } from 'vitest';
import { ParsedArgs } from './command.ts';
import { codeFrame } from './frame.ts';
import { Shell } from './shell.ts';
import { widthOf } from './terminal.ts';

const { stdin, stdout, stderr } = process;
const shellOf = (env: Record<string, string>): Shell =>
  new Shell(
    { stdin, stdout, stderr, cwd: '/', env: { COLUMNS: '80', NO_COLOR: '1', ...env } },
    new ParsedArgs(new Map(), new Map(), new Set()),
  );
const shell = shellOf({ LANG: 'C' });
const frame = (text: string, line: number, column: number) => codeFrame(shell, text, { line, column });

it('the column is marked below its line, with a line before and after', () => {
  expect(frame('a: 1\nbb: 2\nc: 3\nd: 4\n', 2, 5)).toEqual(['  1 | a: 1', '  2 | bb: 2', '    |     ^', '  3 | c: 3']);
});

it('the first and last line have one neighbour, and a newline at the end starts no line', () => {
  expect(frame('a: 1\nb: 2\n', 1, 1)).toEqual(['  1 | a: 1', '    | ^', '  2 | b: 2']);
  expect(frame('a: 1\nb: 2\n', 2, 4)).toEqual(['  1 | a: 1', '  2 | b: 2', '    |    ^']);
  expect(frame('', 1, 1)).toEqual(['  1 |', '    | ^']);
});

it('a position outside the file is shown at its end', () => {
  expect(frame('a: 1\n', 7, 1)).toEqual(['  1 | a: 1', '    | ^']);
});

it('line numbers are aligned', () => {
  expect(frame('x\n'.repeat(12), 9, 1)).toEqual(['   8 | x', '   9 | x', '     | ^', '  10 | x']);
});

describe('the mark is below its character', () => {
  it.each([
    ['behind tabs', '\t\ta: x', 6, 7],
    ['behind wide characters', 'a: 漢字 x', 7, 8],
    ['behind a character of several code points', 'a: 👩‍👩‍👧 x', 13, 6],
    ['behind control characters', 'a: \u0007\u0008 x', 7, 4],
  ])('the mark is below its character: %s', (...[, text, column, width]) => {
    expect(frame(text, 1, column)[1]).toBe(`    | ${' '.repeat(width)}^`);
  });
});

it('no row is wider than the terminal, and the position is always visible', () => {
  const text = `${'x'.repeat(300)}!${'y'.repeat(300)}`;
  for (const column of [1, 40, 73, 74, 75, 76, 301, 601, 602]) {
    const rows = frame(`before\n${text}\n${text}`, 2, column);
    expect(Math.max(...rows.map((row) => row.length))).toBeLessThanOrEqual(80);
    const mark = (rows[2] ?? '').indexOf('^');
    expect((rows[1] ?? '').charAt(mark)).toBe(column === 602 ? '' : text.charAt(column - 1));
  }
});

it('a line that fits is shown whole; in a longer one both cuts are marked', () => {
  const fits = `a: ${'x'.repeat(71)}`;
  expect(frame(fits, 1, 74)).toEqual([`  1 | ${fits}`, `    | ${' '.repeat(73)}^`]);
  expect(frame('x'.repeat(300), 1, 150)[0]).toBe(`  1 | ...${'x'.repeat(68)}...`);
  expect(codeFrame(shellOf({ LANG: 'C.UTF-8' }), 'x'.repeat(300), { line: 1, column: 1 })[0]).toBe(`  1 │ ${'x'.repeat(73)}…`);
});

it('wide characters are never cut in two', () => {
  for (const column of [118, 119, 120, 121]) {
    const rows = frame(`a${'漢'.repeat(200)}\n${'b'.repeat(400)}`, 1, column);
    expect(Math.max(...rows.map(widthOf))).toBeLessThanOrEqual(80);
  }
});

it('text from the file cannot control the terminal', () => {
  expect(frame('a: \u001b[2J\u202ex\u0007\r\n', 1, 1)).toEqual(['  1 | a: x', '    | ^']);
});
