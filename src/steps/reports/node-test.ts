// Owns parsing the output of node --test for people: the counts at its end, and the list of failures.

import { createTestCounts, type TestCounts, type TestFailure } from './test-counts.ts';

const COUNT = /^\u2139 (tests|pass|fail|cancelled|skipped|todo) (\d{1,9})$/;
const FAILURE = /^\u2716 (.+) \([\d.]+ms\)$/;

/** The counts of all runs of node --test in the output, or undefined if there are none. */
export function parseNodeTest(lines: readonly string[]): TestCounts | undefined {
  const counts = new Map<string, number>();
  for (const line of lines) {
    const found = COUNT.exec(line);
    if (found !== null) counts.set(found[1] as string, (counts.get(found[1] as string) ?? 0) + Number(found[2]));
  }
  if (!counts.has('tests') || !counts.has('pass') || !counts.has('fail')) return undefined;
  const count = (name: string): number => counts.get(name) ?? 0;
  return createTestCounts({
    passed: count('pass'),
    failed: count('fail') + count('cancelled'),
    skipped: count('skipped') + count('todo'),
    failures: failuresOf(lines),
  });
}

function failuresOf(lines: readonly string[]): TestFailure[] {
  const from = lines.indexOf('✖ failing tests:');
  if (from === -1) return [];
  return lines.slice(from).flatMap((line, index, rest) => {
    const found = FAILURE.exec(line);
    return found === null ? [] : [{ name: found[1] as string, message: rest[index + 1] ?? '' }];
  });
}
