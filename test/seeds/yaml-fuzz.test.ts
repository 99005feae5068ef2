// Owns a second or two of what "node scripts/fuzz.js --files 100000" does at length.

import { expect, it } from 'vitest';
import { prototypeKeys } from '../expr/prototypes.ts';
import { tryFile } from './yaml-mutation.ts';

const FILES = 600;
const HANG_MS = 50;

it('whatever is done to a file, nothing comes of it but problems, soon', () => {
  const untouched = prototypeKeys();
  let valid = 0;
  const slow: number[] = [];
  for (let seed = 1; seed <= FILES; seed += 1) {
    const { tookMs, isValid } = tryFile(seed);
    if (isValid) valid += 1;
    if (tookMs > HANG_MS) slow.push(seed);
  }
  // Work beside this test can make any file slow once; a file that is slow by itself is slow again.
  expect(slow.filter((seed) => [1, 2, 3].every(() => tryFile(seed).tookMs > HANG_MS))).toEqual([]);
  expect(prototypeKeys()).toBe(untouched);
  expect(valid).toBeGreaterThan(FILES / 50);
  expect(valid).toBeLessThan(FILES / 2);
});
