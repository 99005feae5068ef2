import { expect, test } from 'vitest';
import { shortLine, shortText, textWithin } from './short-text.ts';

test('a text that fits is not changed', () => {
  expect(shortText('four', 4)).toBe('four');
  expect(textWithin('äö', 4)).toBe('äö');
});

test('a longer text ends with an ellipsis and has the length that was asked for', () => {
  expect(shortText('longer', 4)).toBe('lon…');
  expect(shortLine('two\n  lines here', 8)).toBe('two lin…');
});

test('a cut leaves out a character that it would go through', () => {
  expect(shortText('ab😀cdef', 4)).toBe('ab…');
  expect(textWithin('aä', 2)).toBe('a');
  expect(textWithin('äa', 2, 'end')).toBe('a');
});

test('the end of a text is kept where that is asked for', () => {
  expect(textWithin('first last', 4, 'end')).toBe('last');
});
