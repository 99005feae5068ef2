import { expect, test } from 'vitest';
import { shortLine, shortText, textWithin } from './short-text.ts';

test('a string that fits is not changed', () => {
  expect(shortText('four', 4)).toBe('four');
  expect(textWithin('äö', 4)).toBe('äö');
});

test('a longer string is shortened to the requested length and ends with an ellipsis', () => {
  expect(shortText('longer', 4)).toBe('lon…');
  expect(shortLine('two\n  lines here', 8)).toBe('two lin…');
});

test('a cut does not split a character', () => {
  expect(shortText('ab😀cdef', 4)).toBe('ab…');
  expect(textWithin('aä', 2)).toBe('a');
  expect(textWithin('äa', 2, 'end')).toBe('a');
});

test('the end of a string is kept on request', () => {
  expect(textWithin('first last', 4, 'end')).toBe('last');
});
