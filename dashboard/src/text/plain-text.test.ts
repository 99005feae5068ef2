import { expect, test } from 'vitest';
import { plainLine, plainText } from './plain-text.ts';

test('sequences for terminals are removed: colours, titles, links', () => {
  expect(plainText('\u001b[31mred\u001b[0m \u001b]0;title\u0007\u001b]8;;https://evil.example\u001b\\link\u001b]8;;\u001b\\')).toBe(
    'red link',
  );
});

test('characters that reorder, hide or control are written out', () => {
  expect(plainText('a\u202Eb\u200Bc\u0000d\uFEFF')).toBe('a‹U+202E›b‹U+200B›c‹U+0000›d‹U+FEFF›');
  expect(plainText('tag\u{E0041}')).toBe('tag‹U+E0041›');
});

test('an overwritten line is shown in its last state', () => {
  expect(plainText('10%\r50%\r100%\ndone\r\n')).toBe('100%\ndone\n');
});

test('other scripts are unchanged', () => {
  expect(plainText('日本語 العربية ✓ → \t tab\nline')).toBe('日本語 العربية ✓ → \t tab\nline');
});

test('text on one line has no line breaks', () => {
  expect(plainLine(' one\n two\t three ')).toBe('one two three');
});
