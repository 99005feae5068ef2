// Simulates many seeds and adds up what went wrong in them on purpose.

import { expect } from 'vitest';
import { simulate } from '../../src/proof/simulate.ts';

const SEEN_AT_LEAST = 50;

/** Simulates every second seed of a block; all must hold, and enough must have gone wrong to prove something. */
export async function simulateBlock(first: number, count: number): Promise<void> {
  const seen = { crashes: 0, haunted: 0, takeovers: 0, failed: 0, unanswered: 0, duplicates: 0, bellLost: 0, executions: 0 };
  for (let seed = first; seed < first + 2 * count; seed += 2) {
    const { counts } = await simulate(seed);
    for (const what of Object.keys(seen) as (keyof typeof seen)[]) seen[what] += counts[what] ?? 0;
  }
  for (const [what, total] of Object.entries(seen)) expect(total, what).toBeGreaterThan(SEEN_AT_LEAST);
}
