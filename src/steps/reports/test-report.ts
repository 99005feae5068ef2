// Owns choosing the parser for test results: of a report file, or of the output of a program that may be a test runner.

import { parseJunit } from './junit.ts';
import { parseNodeTest } from './node-test.ts';
import { parsePytest } from './pytest.ts';
import { parseSummaries } from './summaries.ts';
import { isTap, parseTap } from './tap.ts';
import { addCounts, type TestCounts, UnreadableReport } from './test-counts.ts';

// The escape sequences for colours.
const ESCAPE = String.fromCharCode(27);
const COLOUR = new RegExp(`${ESCAPE}\\[[0-9;]*[A-Za-z]`, 'g');

/** The counts of a report in JUnit XML or TAP. Throws for any other text. */
export function parseTestReport(text: string): TestCounts {
  if (text.trimStart().startsWith('<')) return parseJunit(text);
  const lines = linesOf(text);
  if (!isTap(lines)) throw new UnreadableReport('it is neither JUnit XML nor TAP');
  return parseTap(lines);
}

/** The counts in the output of a program, or undefined if it is not the output of a known test runner. */
export function recogniseTests({ stdout, stderr }: { readonly stdout: string; readonly stderr: string }): TestCounts | undefined {
  const lines = linesOf(stdout);
  if (isTap(lines)) return parseTap(lines);
  const readers = [parsePytest, parseNodeTest, parseSummaries];
  const found = [lines, linesOf(stderr)].flatMap((text) => readers.map((read) => read(text))).filter((counts) => counts !== undefined);
  return found.length === 0 ? undefined : addCounts(found);
}

function linesOf(text: string): string[] {
  return text.replace(COLOUR, '').split(/\r?\n/);
}
