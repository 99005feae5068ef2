// Owns parsing the output of pytest: its last line, framed or plain, and its short list of failures.

import { createTestCounts, type TestCounts, type TestFailure } from './test-counts.ts';

const COUNT = '(?:\\d{1,9} (?:failed|passed|skipped|deselected|xfailed|xpassed|errors?|warnings?|rerun|subtests passed|tests? collected))';
const LINE = new RegExp(
  `^(=*) ?((?:${COUNT}(?:, )?)+|no tests (?:ran|collected)(?:, ${COUNT})*|no tests collected \\(\\d+ deselected\\)) in \\d+(?:\\.\\d+)?s(?: \\([^)]{1,40}\\))? ?=*$`,
);
// Without its frame the line must contain a word that only test runners print.
const TELLING = /passed|failed|skipped|deselected|no tests/;
const FAILURE = /^(?:FAILED|ERROR) (\S+)(?: - (.*))?$/;

/** The counts of all last lines of pytest, or undefined if there are none. */
export function parsePytest(lines: readonly string[]): TestCounts | undefined {
  const ends = lines.map((line) => LINE.exec(line.trim())).filter((end) => end !== null);
  const telling = ends.filter(([, frame, words = '']) => frame !== '' || TELLING.test(words));
  if (telling.length === 0) return undefined;
  const sum = (...words: string[]): number => telling.reduce((total, end) => total + countOf(end[2] ?? '', words), 0);
  return createTestCounts({
    passed: sum('passed', 'xfailed', 'xpassed'),
    failed: sum('failed', 'error', 'errors'),
    skipped: sum('skipped'),
    failures: failuresOf(lines),
  });
}

function countOf(text: string, words: readonly string[]): number {
  let total = 0;
  for (const [, count, word = ''] of text.matchAll(/(\d+) ([a-z]+)/g)) if (words.includes(word)) total += Number(count);
  return total;
}

function failuresOf(lines: readonly string[]): TestFailure[] {
  return lines.flatMap((line) => {
    const found = FAILURE.exec(line.trim());
    return found === null ? [] : [{ name: found[1] as string, message: found[2] ?? '' }];
  });
}
