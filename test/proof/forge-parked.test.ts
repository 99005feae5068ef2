// An event reaches its run without a look at ten thousand that are parked for other issues.

import { expect, test } from 'vitest';
import { closeBeside } from '../server/parked-stage.ts';

test('an event about one issue reads none of 10,000 runs that are parked for others', async () => {
  const { reads, ms } = await closeBeside(10_000);
  process.stdout.write(`10,000 parked runs: ${reads} read, ${Math.round(ms)} ms until the run reacted\n`);
  expect(reads).toBe(0);
});
