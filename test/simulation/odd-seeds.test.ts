// Half of the 2,000 seeds of CI; the other half is a file of its own, so that two cores share the work.

import { describe, test } from 'vitest';
import { simulateBlock } from './seed-block.ts';

describe('the odd seeds', () => {
  test.each([1, 501, 1001, 1501])('250 of them from %i on hold every invariant', (first) => simulateBlock(first, 250));
});
