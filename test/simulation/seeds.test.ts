// The simulation in CI: 2,000 seeds, told apart into blocks so that a slow machine still says how far it came.

import { describe, expect, test } from 'vitest';
import { simulate } from '../../src/proof/simulate.ts';

const SEEDS_PER_BLOCK = 500;

describe('the simulation', () => {
  test.each([1, 501, 1001, 1501])('500 seeds from %i on hold every invariant', async (first) => {
    const seen = { crashes: 0, haunted: 0, takeovers: 0, failed: 0, unanswered: 0, duplicates: 0, bellLost: 0, executions: 0 };
    for (let seed = first; seed < first + SEEDS_PER_BLOCK; seed += 1) {
      const { counts } = await simulate(seed);
      for (const what of Object.keys(seen) as (keyof typeof seen)[]) seen[what] += counts[what] ?? 0;
    }
    // A block in which nothing went wrong would prove nothing.
    for (const [what, count] of Object.entries(seen)) expect(count, what).toBeGreaterThan(50);
  });

  test('the same seed gives the same events, and another seed others', async () => {
    const [once, again, other] = [await simulate(7), await simulate(7), await simulate(8)];
    expect(again.digest).toBe(once.digest);
    expect(again.trace).toEqual(once.trace);
    expect(other.digest).not.toBe(once.digest);
  });
});
