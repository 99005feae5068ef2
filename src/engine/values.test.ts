import { expect, test } from 'vitest';
import { KnownValues } from './values.ts';

test('E2, E8: of many values only those stay in memory that are referred to or are not on disk yet', () => {
  const values = new KnownValues();
  const [referred, stale] = Array.from({ length: 64 }, (_, n) => values.add(n));
  values.takeUnwritten();
  const unwritten = values.add('new');
  expect(values.isFull).toBe(true);
  values.keepOnly(referred === undefined ? [] : [referred]);
  expect([referred, unwritten, stale].map((ref) => ref !== undefined && values.has([ref]))).toEqual([true, true, false]);
});
