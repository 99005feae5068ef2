// Chooses the parser for test results: of a report file, or of the output of a program that may be a test runner. Parses
// the output of node --test and of pytest itself.

import { parseJunit } from './junit.ts';
import { parseSummaries } from './summaries.ts';
import { isTap, parseTap } from './tap.ts';
import { addCounts, createTestCounts, type TestCounts, type TestFailure, UnreadableReport } from './test-counts.ts';

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

const NODE_COUNT = /^\u2139 (tests|pass|fail|cancelled|skipped|todo) (\d{1,9})$/;
const NODE_FAILURE = /^\u2716 (.+) \([\d.]+ms\)$/;

/** The counts of all runs of node --test in the output, or undefined if there are none. */
function parseNodeTest(lines: readonly string[]): TestCounts | undefined {
  const counts = new Map<string, number>();
  for (const line of lines) {
    const found = NODE_COUNT.exec(line);
    if (found !== null) counts.set(found[1] as string, (counts.get(found[1] as string) ?? 0) + Number(found[2]));
  }
  if (!counts.has('tests') || !counts.has('pass') || !counts.has('fail')) return undefined;
  const count = (name: string): number => counts.get(name) ?? 0;
  return createTestCounts({
    passed: count('pass'),
    failed: count('fail') + count('cancelled'),
    skipped: count('skipped') + count('todo'),
    failures: nodeFailures(lines),
  });
}

function nodeFailures(lines: readonly string[]): TestFailure[] {
  const from = lines.indexOf('✖ failing tests:');
  if (from === -1) return [];
  return lines.slice(from).flatMap((line, index, rest) => {
    const found = NODE_FAILURE.exec(line);
    return found === null ? [] : [{ name: found[1] as string, message: rest[index + 1] ?? '' }];
  });
}

const PYTEST_COUNT =
  '(?:\\d{1,9} (?:failed|passed|skipped|deselected|xfailed|xpassed|errors?|warnings?|rerun|subtests passed|tests? collected))';
const PYTEST_LINE = new RegExp(
  `^(=*) ?((?:${PYTEST_COUNT}(?:, )?)+|no tests (?:ran|collected)(?:, ${PYTEST_COUNT})*|no tests collected \\(\\d+ deselected\\)) in \\d+(?:\\.\\d+)?s(?: \\([^)]{1,40}\\))? ?=*$`,
);
// Without its frame the line must contain a word that only test runners print.
const TELLING = /passed|failed|skipped|deselected|no tests/;
const PYTEST_FAILURE = /^(?:FAILED|ERROR) (\S+)(?: - (.*))?$/;

/** The counts of all last lines of pytest, or undefined if there are none. */
function parsePytest(lines: readonly string[]): TestCounts | undefined {
  const ends = lines.map((line) => PYTEST_LINE.exec(line.trim())).filter((end) => end !== null);
  const telling = ends.filter(([, frame, words = '']) => frame !== '' || TELLING.test(words));
  if (telling.length === 0) return undefined;
  const sum = (...words: string[]): number => telling.reduce((total, end) => total + countOf(end[2] ?? '', words), 0);
  return createTestCounts({
    passed: sum('passed', 'xfailed', 'xpassed'),
    failed: sum('failed', 'error', 'errors'),
    skipped: sum('skipped'),
    failures: pytestFailures(lines),
  });
}

function countOf(text: string, words: readonly string[]): number {
  let total = 0;
  for (const [, count, word = ''] of text.matchAll(/(\d+) ([a-z]+)/g)) if (words.includes(word)) total += Number(count);
  return total;
}

function pytestFailures(lines: readonly string[]): TestFailure[] {
  return lines.flatMap((line) => {
    const found = PYTEST_FAILURE.exec(line.trim());
    return found === null ? [] : [{ name: found[1] as string, message: found[2] ?? '' }];
  });
}

function linesOf(text: string): string[] {
  return text.replace(COLOUR, '').split(/\r?\n/);
}
