import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareNames } from './steps.ts';

test('numbers in names compare by value, and letters regardless of case', () => {
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

test('sorting does not depend on the initial order', () => {
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
