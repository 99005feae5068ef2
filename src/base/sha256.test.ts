import { hash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { digestText } from './digest.ts';
import { sha256 } from './sha256.ts';

test('it is the SHA-256 of the text, around the ends of blocks and whatever the letters', () => {
  for (let length = 0; length < 200; length += 1) {
    for (const letter of ['a', 'ü', '😀']) {
      const text = letter.repeat(length);
      expect(sha256(text).toString('hex')).toBe(hash('sha256', text, 'hex'));
    }
  }
  fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 500 }), (text) => sha256(text).equals(hash('sha256', text, 'buffer'))));
});

test('a half of a letter counts as it does for Node', () => {
  expect(sha256('a\ud800b').toString('hex')).toBe(hash('sha256', 'a\ud800b', 'hex'));
});

test('the digest of a text is the same before and after many were digested', () => {
  const before = digestText('text');
  const long = 'x'.repeat(20_000);
  expect(digestText(long)).toBe(hash('sha256', long, 'hex'));
  expect(digestText('text')).toBe(before);
});
