// An event reaches its run without a look at ten thousand that are parked for other issues and pull requests.

import { expect, test } from 'vitest';
import { closeBeside, pushBeside } from '../server/parked-stage.ts';

test('an event about one issue reads none of 10,000 runs that are parked for others', async () => {
  const { reads, ms } = await closeBeside(10_000);
  process.stdout.write(`10,000 parked runs: ${reads} read, ${Math.round(ms)} ms until the run reacted\n`);
  expect(reads).toBe(0);
});

test('a push reads none of 10,000 runs that are parked for others', async () => {
  const { reads, ms } = await pushBeside(10_000);
  process.stdout.write(`10,000 parked runs: ${reads} read, ${Math.round(ms)} ms until the gate had looked after a push\n`);
  expect(reads).toBe(0);
});
