import { describe, expect, test } from 'vitest';
import { digestJson, digestText } from './digest.ts';

describe('digests', () => {
  test('a digest is the SHA-256 of the text, as sha256sum prints it', () => {
    expect(digestText('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });

  test('count half a surrogate pair as the replacement character', () => {
    expect(digestText('a\ud800b')).toBe(digestText('a\ufffdb'));
  });

  test('the digest of data is that of its canonical text', () => {
    expect(digestJson({ b: [1, 'x'], a: null })).toBe(digestText('{"a":null,"b":[1,"x"]}'));
  });

  test('digests of different data differ', () => {
    expect(digestJson({ a: 1 })).not.toBe(digestJson({ a: '1' }));
    expect(digestJson([1, 2])).not.toBe(digestJson([2, 1]));
  });
});
