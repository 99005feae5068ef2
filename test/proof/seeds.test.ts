// The simulation at length: 2,000 seeds by the command that people use, in two processes so that two cores share the work.

import { expect, test } from 'vitest';
import { expectSeeds } from '../simulation/simulate-command.ts';

const SEEDS_PER_PROCESS = 1000;

test('2,000 seeds hold every invariant', async () => {
  await Promise.all([1, 1 + SEEDS_PER_PROCESS].map((first) => expectSeeds({ first, runs: SEEDS_PER_PROCESS })));
});

test('20 seeds with fan-outs of up to 500 slow members hold every invariant', async () => {
  const output = await expectSeeds({ first: 1, runs: 20, isWide: true });
  expect(Number(/\bexecutions (\d+)/.exec(output)?.[1])).toBeGreaterThan(4000);
});
