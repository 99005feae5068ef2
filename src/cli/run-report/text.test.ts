import { describe, expect, test } from 'vitest';
import { commandFor } from '../../attended/wait-command.ts';
import type { OpenApproval } from '../../engine/request/approvals.ts';
import { ParsedArgs } from '../command.ts';
import { Shell } from '../shell.ts';
import { widthOf } from '../terminal.ts';
import { cutLines } from './text.ts';

const shell = new Shell(
  {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: { LANG: 'C.UTF-8', COLUMNS: '40', NO_COLOR: '1' },
    cwd: '.',
  },
  new ParsedArgs(new Map(), new Map(), new Set()),
);
const room = shell.display.columns;

describe('a long text', () => {
  test('a long text is wrapped at spaces, indented and truncated, with a last line that tells how to see the rest', () => {
    const lines = cutLines(shell, 'word '.repeat(200), { indent: 4, max: 3, hint: 'pawl show a1' });
    expect(lines).toHaveLength(3);
    expect(lines.every((line) => line.startsWith('    '))).toBe(true);
    expect(lines[2]).toMatch(/^ {4}… \d+ more lines: pawl show a1$/);
  });

  test('a text without spaces, or with wide characters, fits the screen', () => {
    for (const text of ['x'.repeat(500), '漢'.repeat(300), `a ${'y'.repeat(500)}`])
      expect(Math.max(...cutLines(shell, text, { indent: 2, max: 99 }).map(widthOf))).toBeLessThanOrEqual(room);
  });

  test('a long text loses control characters and keeps its lines', () => {
    expect(cutLines(shell, 'a\u001b[2Jb\n\tc', { indent: 0, max: 9 })).toEqual(['ab', '  c']);
  });
});

test('the command for an approval quotes its option, names the approval if several are pending, and asks for a required text', () => {
  const approval = { question: { options: [{ label: "it's $(id)", requiresInput: true }] } } as unknown as OpenApproval;
  const wait = { kind: 'human', path: 'ask#1', step: 'ask', since: 0 } as const;
  expect(commandFor('a1', wait, { approval, several: true, halt: undefined })).toBe(
    `pawl decide a1 --approval ask#1 --option 'it'\\''s $(id)' --input TEXT`,
  );
});

test('the command for a loop at its limit allows one more iteration', () => {
  const wait = { kind: 'escalation', message: '', since: 0 } as const;
  expect(
    commandFor('a1', wait, { approval: undefined, several: false, halt: { reason: 'exhausted', message: '', edge: 'a:ok', to: 'b' } }),
  ).toBe('pawl retry a1 --extend 1');
});
