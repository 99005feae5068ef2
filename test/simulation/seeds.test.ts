// The simulation in CI: 2,000 seeds by the command that people use, in two processes so that two cores share the work.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const COMMAND = fileURLToPath(new URL('../../scripts/simulate.js', import.meta.url));
const SEEDS_PER_PROCESS = 1000;
const WENT_WRONG = ['crashes', 'haunted', 'takeovers', 'failed', 'unanswered', 'duplicates', 'bellLost'];

async function simulateFrom(first: number, runs = SEEDS_PER_PROCESS, ...flags: readonly string[]): Promise<string> {
  const args = [COMMAND, '--seed', String(first), '--runs', String(runs), ...flags];
  return (await promisify(execFile)(process.execPath, args)).stdout;
}

test('2,000 seeds hold every invariant', async () => {
  const outputs = await Promise.all([simulateFrom(1), simulateFrom(1 + SEEDS_PER_PROCESS)]);
  for (const output of outputs) {
    expect(output).toContain(`simulate: ${SEEDS_PER_PROCESS} seeds, 0 failed`);
    // Seeds in which nothing went wrong would prove nothing.
    for (const what of WENT_WRONG) expect(Number(new RegExp(`\\b${what} (\\d+)`).exec(output)?.[1]), what).toBeGreaterThan(200);
  }
});

test('20 seeds with fan-outs of up to 500 members, whose workers take their time, hold every invariant', async () => {
  const output = await simulateFrom(1, 20, '--wide');
  expect(output).toContain('simulate: 20 seeds, 0 failed');
  for (const what of ['crashes', 'takeovers', 'failed', 'unanswered'])
    expect(Number(new RegExp(`\\b${what} (\\d+)`).exec(output)?.[1]), what).toBeGreaterThan(10);
  expect(Number(/\bexecutions (\d+)/.exec(output)?.[1])).toBeGreaterThan(4000);
});

test('a command line that makes no sense is refused', async () => {
  await expect(promisify(execFile)(process.execPath, [COMMAND, '--seed', 'x'])).rejects.toMatchObject({ code: 2 });
});
