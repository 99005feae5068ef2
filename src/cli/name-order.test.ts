import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareNames } from './name-order.ts';

test('numbers in names count, and letters stand whatever their case', () => {
  expect(['item-10', 'item-9', 'Item-1', 'b', 'item', 'A', 'item-9-x'].sort(compareNames)).toEqual([
    'A',
    'b',
    'item',
    'Item-1',
    'item-9',
    'item-9-x',
    'item-10',
  ]);
});

test('it is an order: the same list in any order is sorted the same, and only the same name is equal', () => {
  const names = fc.uniqueArray(fc.oneof(fc.string({ unit: fc.constantFrom('a', 'B', 'b', '-', '0', '1', '9') }), fc.string()), {
    maxLength: 8,
  });
  fc.assert(
    fc.property(names, (list) => {
      expect([...list].reverse().sort(compareNames)).toEqual([...list].sort(compareNames));
    }),
    { numRuns: 2000 },
  );
});
