// The first seeds of the simulation; `npm run proof` has more of them (test/proof/seeds.test.ts).

import { expect, test } from 'vitest';
import { expectSeeds, simulateCommand } from './simulate-command.ts';

test('200 seeds hold every invariant', async () => {
  await expectSeeds({ first: 1, runs: 200 });
});

test('2 seeds with fan-outs of up to 500 members, whose workers take their time, hold every invariant', async () => {
  await expectSeeds({ first: 1, runs: 2, isWide: true });
});

test('a command line that makes no sense is refused', async () => {
  await expect(simulateCommand('--seed', 'x')).rejects.toMatchObject({ code: 2 });
});
