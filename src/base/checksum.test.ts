import { crc32 as reference } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { crc32 } from './checksum.ts';

test('the checksum is the CRC-32 that Node and everybody else computes', () => {
  expect(crc32('123456789')).toBe(0xcbf43926);
  expect(crc32('')).toBe(0);
  fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 500 }), (text) => crc32(text) === reference(text)));
});
