// Half of the 2,000 seeds of CI; the other half is a file of its own, so that two cores share the work.

import { describe, test } from 'vitest';
import { simulateBlock } from './seed-block.ts';

describe('the even seeds', () => {
  test.each([2, 502, 1002, 1502])('250 of them from %i on hold every invariant', (first) => simulateBlock(first, 250));
});
