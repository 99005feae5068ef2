// Parses the summary lines of test runners. A line counts only if all of it has the format of the runner, so text that
// mentions tests does not count.
//
// - All summaries of an output are added up, because a workspace without tests must not hide the tests of others.
// - For a runner that does not print how many tests ran (go), each package counts as one.

import { addCounts, type TestCounts } from './test-counts.ts';

type Field = 'total' | 'passed' | 'failed' | 'skipped';

/** The field that a word of a summary counts for. Other words, such as "assertions", are ignored. */
const FIELDS: Readonly<Record<string, Field>> = {
  ...fieldOf('total', 'test tests doctest doctests example examples run runs total'),
  ...fieldOf('passed', 'pass passed passing'),
  ...fieldOf('failed', 'fail failed failing failure failures error errors'),
  ...fieldOf('skipped', 'skip skips skipped pending ignored todo incomplete excluded'),
};

const COUNTS = '\\d+ [a-z]+(?: \\([^)]*\\))?';
const NAMED = '[A-Z][a-z ]*: *\\d+';

/** The summary lines of each runner. A line without a number means that there was no test. */
const RUNNERS: Readonly<Record<string, readonly RegExp[]>> = {
  unittest: [/^Ran \d+ tests? in [\d.]+s$/, /^(?:OK|FAILED) \([a-z ]+=\d+(?:, [a-z ]+=\d+)*\)$/],
  vitest: [new RegExp(`^ *Tests {2}${COUNTS}(?: \\| ${COUNTS})*$`), /^No test files found, exiting with code \d$/],
  jest: [new RegExp(`^Tests: +${COUNTS}(?:, ${COUNTS})*$`), /^No tests found, exiting with code \d$/],
  mocha: [/^ {2}\d+ (?:passing \([\d.]+\w+\)|pending|failing)$/],
  cargo: [new RegExp(`^test result: \\w+\\. ${COUNTS}; ${COUNTS}; ${COUNTS};.*`)],
  nextest: [new RegExp(`^ *Summary \\[ *[\\d.]+s\\] +\\d+ tests? run: ${COUNTS}(?:, ${COUNTS})*$`)],
  bun: [/^ \d+ (?:pass|fail|skip|todo)$/, /^0 test files matching /, /^No tests found!$/],
  deno: [new RegExp(`^(?:ok|FAILED) \\| ${COUNTS}(?: \\| ${COUNTS})+$`), /^error: No test modules found$/],
  dotnet: [
    new RegExp(`^(?:Passed|Failed|Skipped)! +- ${NAMED}(?:, ${NAMED})*, Duration: `),
    /^No test (?:is available in|matches the given) /,
  ],
  rspec: [/^\d+ examples?, \d+ failures?(?:, \d+ pending)?(?:, \d+ errors? occurred outside of examples)?$/],
  minitest: [/^\d+ runs, \d+ assertions, \d+ failures, \d+ errors, \d+ skips$/],
  exunit: [/^(?:\d+ doctests?, )?\d+ tests?, \d+ failures?(?:, \d+ (?:excluded|skipped))*$/, /^There are no tests to run$/],
  phpunit: [
    /^OK \(\d+ tests?, \d+ assertions?\)$/,
    new RegExp(`^Tests: \\d+, Assertions: \\d+(?:, ${NAMED})*\\.$`),
    /^No tests executed!$/,
  ],
  surefire: [new RegExp(`^(?:\\[[A-Z]+\\] )?Tests run: \\d+(?:, ${NAMED})+$`), /^\[INFO\] No tests to run\.$/],
};

const GO_PACKAGE = /^(?:(ok) {2}|(FAIL)|\? {3})\t\S+[\t ](.*)$/;
const GO_EMPTY = /\[no test(?:s to run| files)\]/;
const LINE_MAX = 300;
const SUMMARY_WORD = /test|pass|fail|pending|skip|todo|example|run|^OK/i;

/** The counts of all summaries in an output, or undefined when there is none. */
export function parseSummaries(lines: readonly string[]): TestCounts | undefined {
  const candidates = lines.filter((line) => line.length <= LINE_MAX && SUMMARY_WORD.test(line)).map((line) => line.trimEnd());
  const found = Object.values(RUNNERS).map((patterns) => candidates.filter((line) => patterns.some((pattern) => pattern.test(line))));
  const all = [...found.filter((matches) => matches.length > 0).map(countLines), ...goPackages(lines)];
  return all.length === 0 ? undefined : addCounts(all);
}

/** The counts in the lines of one runner: `3 passed`, `Passed: 3` or `failures=1`. */
function countLines(lines: readonly string[]): TestCounts {
  const counts = { total: 0, passed: 0, failed: 0, skipped: 0 };
  // A test that is expected to fail has not failed.
  for (const line of lines)
    for (const [, before = '', word = '', later = '', after = ''] of line
      .replace('expected failures', 'expected')
      .matchAll(/(\d+) ([a-z]+)|([A-Za-z]+)[:=] *(\d+)(?! [a-z]|\d)/g)) {
      const field = FIELDS[(word === '' ? later : word).toLowerCase()];
      if (field !== undefined) counts[field] += Number(before === '' ? after : before);
    }
  const { total, passed, failed, skipped } = counts;
  return { passed: passed > 0 ? passed : Math.max(0, total - failed - skipped), failed, skipped, failures: [] };
}

function goPackages(lines: readonly string[]): TestCounts[] {
  return lines.flatMap((line) => {
    const match = line.length <= LINE_MAX ? GO_PACKAGE.exec(line) : null;
    if (match === null) return [];
    const [, ok, failed, rest = ''] = match;
    const ran = ok !== undefined && !GO_EMPTY.test(rest);
    return [{ passed: ran ? 1 : 0, failed: failed === undefined ? 0 : 1, skipped: 0, failures: [] }];
  });
}

function fieldOf(field: Field, words: string): Record<string, Field> {
  return Object.fromEntries(words.split(' ').map((word) => [word, field]));
}
