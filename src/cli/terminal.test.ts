import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Column,
  characters,
  type Display,
  detectDisplay,
  oneLine,
  plain,
  shorten,
  shortenName,
  styled,
  symbol,
  table,
  widthOf,
} from './terminal.ts';

const TERMINAL: Display = { isTerminal: true, hasColor: false, hasUnicode: true, columns: 40 };
const PIPE: Display = { ...TERMINAL, isTerminal: false };
const ASCII: Display = { ...TERMINAL, hasUnicode: false };

describe('the capabilities of a stream', () => {
  const display = (stream: { isTTY?: boolean; columns?: number }, env: Record<string, string> = {}, noColor = false): Display =>
    detectDisplay(stream, env, { noColor });

  test('colour is used on a terminal unless the environment disables it', () => {
    expect(display({ isTTY: true }).hasColor).toBe(true);
    expect(display({}).hasColor).toBe(false);
    expect(display({ isTTY: true }, { NO_COLOR: '1' }).hasColor).toBe(false);
    expect(display({ isTTY: true }, { NO_COLOR: '' }).hasColor).toBe(true);
    expect(display({ isTTY: true }, {}, true).hasColor).toBe(false);
    expect(display({}, { FORCE_COLOR: '1' }).hasColor).toBe(true);
    expect(display({}, { FORCE_COLOR: '0' }).hasColor).toBe(false);
    expect(display({}, { FORCE_COLOR: '1', NO_COLOR: '1' }).hasColor).toBe(false);
  });

  test('a dumb terminal is not redrawn', () => {
    expect(display({ isTTY: true }, { TERM: 'dumb' })).toMatchObject({ isTerminal: false, hasColor: false });
  });

  test.skipIf(process.platform === 'win32')(
    'Unicode symbols are used in UTF-8 locales; LC_ALL overrides LC_CTYPE, which overrides LANG',
    () => {
      expect(display({}, { LANG: 'de_DE.UTF-8' }).hasUnicode).toBe(true);
      expect(display({}, { LANG: 'C.utf8' }).hasUnicode).toBe(true);
      expect(display({}, { LANG: 'de_DE.UTF-8', LC_ALL: 'C' }).hasUnicode).toBe(false);
      expect(display({}, { LANG: 'C', LC_CTYPE: 'C.UTF-8' }).hasUnicode).toBe(true);
      expect(display({}, {}).hasUnicode).toBe(false);
    },
  );

  test('the width is that of the terminal, else COLUMNS, else 80; zero or an invalid number is ignored', () => {
    expect(display({ isTTY: true, columns: 120 }, { COLUMNS: '60' }).columns).toBe(120);
    expect(display({}, { COLUMNS: '60' }).columns).toBe(60);
    for (const COLUMNS of ['', '0', '-3', 'wide']) expect(display({ isTTY: true, columns: 0 }, { COLUMNS }).columns).toBe(80);
  });
});

describe('text from outside', () => {
  test('text from outside cannot move the cursor, colour, ring, retitle, link or overwrite', () => {
    expect(plain('a\u001b[31mb\u001b[2J\u001b[1;1Hc\u0007')).toBe('abc');
    expect(plain('\u001b]0;title\u0007a\u001b]8;;http://x\u001b\\b\u001b]8;;\u001b\\')).toBe('ab');
    expect(plain('safe\rEVIL\u0008\u007f')).toBe('safeEVIL');
    expect(plain('\u009b31mred\u0090')).toBe('31mred');
    expect(plain('\u001b\u001b[31m[31mx')).not.toContain('\u001b');
  });

  test('text from outside cannot change the writing direction', () => {
    expect(plain('approve\u202eevorppa\u2066')).toBe('approveevorppa');
  });

  test('text from outside keeps tabs and newlines, also those of Windows, unless it is put on one line', () => {
    expect(plain('a\tb\r\nc\n')).toBe('a\tb\nc\n');
    expect(oneLine('  a\tb\r\nc\n')).toBe('a b c');
  });
});

describe('widths', () => {
  test('wide characters take two columns, combining marks and colour codes none', () => {
    expect([widthOf('abc'), widthOf('日本'), widthOf('e\u0301'), widthOf('👩‍🚀'), widthOf('\u001b[31mred\u001b[39m')]).toEqual([
      3, 4, 1, 2, 3,
    ]);
  });

  test('truncated text ends with an ellipsis and fits the width', () => {
    expect(shorten(TERMINAL, 'abcdefgh', 5)).toBe('abcd…');
    expect(shorten(ASCII, 'abcdefgh', 5)).toBe('ab...');
    expect(shorten(TERMINAL, '日本語です', 6)).toBe('日本…');
    expect(shorten(TERMINAL, 'abc', 3)).toBe('abc');
    for (const width of [0, 1, 2]) expect(widthOf(shorten(ASCII, 'abcdefgh', width))).toBeLessThanOrEqual(width);
  });
});

test('emoji take two columns however they are encoded, and lone combining marks none', () => {
  for (const wide of ['✅', '⚡', '☕', '🇩🇪', '❤️', '👩‍👩‍👧', '한', 'ｗ', '𠀀']) expect([wide, widthOf(wide)]).toEqual([wide, 2]);
  for (const narrow of ['✓', '●', '…', 'é', '©', 'ñ', 'ي']) expect([narrow, widthOf(narrow)]).toEqual([narrow, 1]);
  for (const none of ['\u200b', '\u0301', '\ufeff']) expect(widthOf(none)).toBe(0);
});

test('long names that differ at their end still differ when truncated', () => {
  expect(shortenName(TERMINAL, 'very-long-step-name-one', 12)).toBe('very-…me-one');
  expect(shortenName(TERMINAL, 'very-long-step-name-two', 12)).toBe('very-…me-two');
  expect(shortenName(TERMINAL, 'short', 12)).toBe('short');
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 0, max: 30 }), (text, width) => {
      expect(widthOf(shortenName(TERMINAL, text, width))).toBeLessThanOrEqual(Math.max(width, 0));
    }),
  );
});

describe('a table', () => {
  const columns: readonly Column[] = [
    { title: 'ID', cells: ['0123456789', 'x'] },
    { title: 'NAME', cells: ['a name that is longer than the terminal is wide', 'short'], shrinks: 'text' },
    { title: 'END', cells: ['yes', 'no'] },
  ];

  test('a table fits the terminal by truncating the columns that may shrink', () => {
    const lines = table(TERMINAL, columns);
    expect(lines).toEqual([
      'ID          NAME                     END',
      '0123456789  a name that is longer …  yes',
      'x           short                    no',
    ]);
    expect(Math.max(...lines.map(widthOf))).toBe(40);
  });

  test('a table truncates names in the middle', () => {
    const names = ['the-first-of-some-very-long-names', 'the-second-of-some-very-long-names'];
    expect(table({ ...TERMINAL, columns: 20 }, [{ title: 'NAME', cells: names, shrinks: 'name' }])).toEqual([
      'NAME',
      'the-first…long-names',
      'the-secon…long-names',
    ]);
  });

  test('a table is not truncated in a pipe', () => {
    expect(table(PIPE, columns)[1]).toContain('a name that is longer than the terminal is wide  yes');
  });

  test('a table without rows has only its heading', () => {
    expect(table(PIPE, [{ title: 'A', cells: [] }])).toEqual(['A']);
  });
});

test('every symbol has an ASCII form, and styles do nothing without colour', () => {
  for (const name of ['done', 'failed', 'running', 'waiting', 'skipped', 'pending', 'arrow', 'ellipsis'] as const)
    expect(symbol(ASCII, name)).toMatch(/^[ -~]+$/);
  expect([styled(TERMINAL, 'red', 'x'), styled({ ...TERMINAL, hasColor: true }, 'red', 'x')]).toEqual(['x', '\u001b[31mx\u001b[39m']);
});

test('text is split into graphemes, with or without the Unicode tables', () => {
  const letters = fc.string({
    unit: fc.oneof(
      fc.constantFrom('✓', '…', '●', '─', '×', '\u0301', '\ufe0f', '\u200d', '👩', 'ß', '日', '\u00ad'),
      fc.string({ unit: 'binary', maxLength: 1 }),
    ),
  });
  fc.assert(
    fc.property(letters, (text) => {
      expect(characters(text)).toEqual(Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment));
    }),
    { numRuns: 5000 },
  );
});
