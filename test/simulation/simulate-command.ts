// Owns `npm run simulate` as tests call it: seeds that must all hold, and in which enough must have gone wrong.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'vitest';

const COMMAND = fileURLToPath(new URL('../../scripts/simulate.js', import.meta.url));
const WENT_WRONG = ['crashes', 'zombies', 'takeovers', 'failed', 'unanswered', 'duplicates', 'lostWakeUps'];
const WENT_WRONG_WIDE = ['crashes', 'takeovers', 'failed', 'unanswered'];

/** Runs the command with these words and returns what it prints. */
export async function simulateCommand(...words: readonly string[]): Promise<string> {
  return (await promisify(execFile)(process.execPath, [COMMAND, ...words])).stdout;
}

/** Seeds from a first one on; wide ones have fan-outs of up to 500 members. */
export interface Seeds {
  readonly first: number;
  readonly runs: number;
  readonly isWide?: boolean;
}

/** Expects that every seed holds; seeds in which nothing went wrong would prove nothing. Returns what was printed. */
export async function expectSeeds({ first, runs, isWide = false }: Seeds): Promise<string> {
  const output = await simulateCommand('--seed', String(first), '--runs', String(runs), ...(isWide ? ['--wide'] : []));
  expect(output).toContain(`simulate: ${runs} seeds, 0 failed`);
  for (const what of isWide ? WENT_WRONG_WIDE : WENT_WRONG)
    expect(Number(new RegExp(`\\b${what} (\\d+)`).exec(output)?.[1]), what).toBeGreaterThan(runs / (isWide ? 2 : 5));
  return output;
}
