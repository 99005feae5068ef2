// Owns the result of a test run: the numbers of tests by result, and the first failures by name.

import type { JsonObject } from '../../base/json.ts';
import { shortText } from '../../base/short-text.ts';

/** The result of a test run. Skipped tests do not count as run. */
export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** The first of those that failed. */
  readonly failures: readonly TestFailure[];
}

/** A failed test, and its message. */
export interface TestFailure {
  readonly name: string;
  readonly message: string;
}

/** An unreadable report, which neither passes nor fails a check. */
export class UnreadableReport extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UnreadableReport';
  }
}

const FAILURES_MAX = 20;
const NAME_MAX = 200;
const MESSAGE_MAX = 500;

/** Limits the failures to what a record should hold. */
export function createTestCounts(counts: TestCounts): TestCounts {
  const failures = counts.failures.slice(0, FAILURES_MAX).map(({ name, message }) => ({
    name: shortText(name.trim(), NAME_MAX),
    message: shortText(message.trim(), MESSAGE_MAX),
  }));
  return { ...counts, failures };
}

/** The counts of several runs together. */
export function addCounts(all: readonly TestCounts[]): TestCounts {
  const sum = (field: 'passed' | 'failed' | 'skipped'): number => all.reduce((total, counts) => total + counts[field], 0);
  const failures = all.flatMap((counts) => counts.failures);
  return createTestCounts({ passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped'), failures });
}

/** How many tests ran. */
export function testsRun({ passed, failed }: TestCounts): number {
  return passed + failed;
}

/** Why a test run proves nothing, or undefined if a test ran. */
export function whyNoTest(counts: TestCounts): string | undefined {
  if (testsRun(counts) > 0) return undefined;
  const skipped = counts.skipped > 0 ? `; ${counts.skipped} were skipped` : '';
  return `no test ran${skipped}; if that is intended, set tests: optional`;
}

/** The counts for the record of a check. */
export function recordOf({ passed, failed, skipped, failures }: TestCounts): JsonObject {
  return { tests: passed + failed + skipped, passed, failed, skipped, failures: failures.map((failure) => ({ ...failure })) };
}
