import { expect, test } from 'vitest';
import { simulate } from '../../src/proof/simulate/simulate.ts';

test('the same seed gives the same events, and another seed others', async () => {
  for (const seed of [7, 8, 9]) {
    const [once, again, other] = [await simulate(seed), await simulate(seed), await simulate(seed + 100)];
    expect(again.trace).toEqual(once.trace);
    expect(again.digest).toBe(once.digest);
    expect(other.digest).not.toBe(once.digest);
  }
});
