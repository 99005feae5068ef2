// The first seeds of the simulation; `npm run proof` has more of them (test/proof/seeds.test.ts).

import { expect, test } from 'vitest';
import { expectSeeds, simulateCommand } from './simulate-command.ts';

test('50 seeds hold every invariant', async () => {
  await expectSeeds({ first: 1, runs: 50 });
});

test('3 seeds with fan-outs of up to 500 members, whose workers take their time, hold every invariant', async () => {
  await expectSeeds({ first: 5, runs: 3, isWide: true });
});

// An engine that was taken for dead acted on a signal that its sender had withdrawn; the contract of stores has it as T4.
test('a seed that found a withdrawn signal in a log holds every invariant', async () => {
  expect(await simulateCommand('--seed', '5000422')).toContain('1 seeds, 0 failed');
});

// An engine that was closing opened the undo of a cancelled run, and no other engine took it up.
test('a seed that left an undo to nobody holds every invariant', async () => {
  expect(await simulateCommand('--seed', '235')).toContain('1 seeds, 0 failed');
});

// A failed run whose children might have had something to undo, and had not, could not be resumed.
test('a seed that could not resume a run with nothing to undo holds every invariant', async () => {
  expect(await simulateCommand('--seed', '409')).toContain('1 seeds, 0 failed');
});

// The same report, sent again by way of another engine while it was being verified, was rejected as a different one.
test('a seed in which a report was repeated during its verification holds every invariant', async () => {
  expect(await simulateCommand('--seed', '40', '--wide')).toContain('1 seeds, 0 failed');
});

test('a command line that makes no sense is refused', async () => {
  await expect(simulateCommand('--seed', 'x')).rejects.toMatchObject({ code: 2 });
});
