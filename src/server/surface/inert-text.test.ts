import fc from 'fast-check';
import { expect, test } from 'vitest';
import { code, inertMarkdown } from './inert-text.ts';

const GAP = '\u200B';

test.each([
  ['a | b', 'a \\| b'],
  ['<!-- hidden -->', '\\<\\!-- hidden --\\>'],
  ['`code` **bold** _x_', '\\`code\\` \\*\\*bold\\*\\* \\_x\\_'],
  ['@ann and @org/team', '＠ann and ＠org/team'],
  ['Closes #12, see GH-3', `C${GAP}loses \\#${GAP}12, see GH-${GAP}3`],
  ['![i](https://evil.example/x.png)', `\\!\\[i\\](https:${GAP}//evil.example/x.png)`],
  ['go to www.evil.example', `go to www${GAP}.evil.example`],
  ['one\n\n| row |\n/pawl approve', 'one \\| row \\| /pawl approve'],
  ['&#64;ann', `\\&${GAP}\\#${GAP}64;ann`],
  ['\u202Eevil\u0007 a\u200Bb', 'evil ab'],
  ['$x$ ~~y~~ {{ z }}', '\\$x\\$ \\~\\~y\\~\\~ \\{\\{ z \\}\\}'],
])('the text %j becomes inert', (text, expected) => {
  expect(inertMarkdown(text, 200)).toBe(expected);
});

test('any text stays in its cell, mentions no one and starts no markup', () => {
  const bad = fc.constantFrom('|', '`', '<!--', '@ann', '\n', '\\', '[x](y)', '#1', 'closes ', 'http://a.b', '\u2028', 'x', ' ');
  fc.assert(
    fc.property(fc.array(fc.oneof(bad, fc.string()), { maxLength: 20 }), (parts) => {
      const text = inertMarkdown(parts.join(''), 100);
      expect(text).not.toMatch(/[\n\r\u2028]|@[A-Za-z0-9]|#\d|:\/\//);
      // Every sign of markup is behind an odd number of backslashes.
      for (const [, before = ''] of text.matchAll(/(\\*)[`*_{}[\]<>#!|~&$]/g)) expect(before.length % 2).toBe(1);
    }),
  );
});

test('a word in code cannot break out of it', () => {
  expect(code('run`1` | <b> @ann')).toBe('`run1  b ann`');
});
