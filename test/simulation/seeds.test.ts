// The simulation in CI: 2,000 seeds by the command that people use, in two processes so that two cores share the work.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const COMMAND = fileURLToPath(new URL('../../scripts/simulate.js', import.meta.url));
const SEEDS_PER_PROCESS = 1000;
const WENT_WRONG = ['crashes', 'haunted', 'takeovers', 'failed', 'unanswered', 'duplicates', 'bellLost'];

async function simulateFrom(first: number): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [COMMAND, '--seed', String(first), '--runs', String(SEEDS_PER_PROCESS)]);
  return stdout;
}

test('2,000 seeds hold every invariant', async () => {
  const outputs = await Promise.all([simulateFrom(1), simulateFrom(1 + SEEDS_PER_PROCESS)]);
  for (const output of outputs) {
    expect(output).toContain(`simulate: ${SEEDS_PER_PROCESS} seeds, 0 failed`);
    // Seeds in which nothing went wrong would prove nothing.
    for (const what of WENT_WRONG) expect(Number(new RegExp(`\\b${what} (\\d+)`).exec(output)?.[1]), what).toBeGreaterThan(200);
  }
});

test('a command line that makes no sense is refused', async () => {
  await expect(promisify(execFile)(process.execPath, [COMMAND, '--seed', 'x'])).rejects.toMatchObject({ code: 2 });
});
