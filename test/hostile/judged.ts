// Owns the verdict of a test about hostile agents: nobody got away with anything, and which steps are enforced.

import { expect } from 'vitest';
import type { HostileResult } from '../../src/proof/index.ts';

/** Prints the report, expects that no attack worked, and returns the steps by verdict. */
export function judged(result: HostileResult): { enforced: string[]; advised: string[] } {
  console.log(result.report());
  expect([result.falseCompletions, result.breaches]).toEqual([[], []]);
  const named = (wanted: boolean): string[] => result.steps.filter(({ enforced }) => enforced === wanted).map(({ step }) => step);
  return { enforced: named(true), advised: named(false) };
}
