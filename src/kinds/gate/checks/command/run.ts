// Runs the check `command`: a program that passes if an expression over its exit code and output holds. If it is known to
// run tests, at least one must have run: a test run without tests proves nothing.

import { formatDuration } from '../../../../base/duration.ts';
import { messageOf } from '../../../../base/error.ts';
import type { JsonObject } from '../../../../base/json.ts';
import type { CheckOf } from '../../../../definition/check.ts';
import { expressionOf } from '../../../../definition/scope/scope.ts';
import { evaluateCondition } from '../../../../expr/expression.ts';
import type { ProcessResult } from '../../../../process/command.ts';
import { type CheckContext, type CheckVerdict, notRunVerdict } from '../../../../steps/check.ts';
import { readFreshReport } from '../../../../steps/report-file.ts';
import { recordOf, type TestCounts, whyNoTest } from '../../../../steps/reports/test-counts.ts';
import { parseTestReport, recogniseTests } from '../../../../steps/reports/test-report.ts';
import { exitSentence, keptText, programOf } from '../../../../steps/worker/program.ts';

const DEFAULT_EXPECT = 'exit_code == 0';

/**
 * `{ run | argv, expect?, report?, tests?, timeoutMs? }`: passes when `expect` holds, by default when the program exits
 * with 0. `report` is a JUnit or TAP file that it writes; `tests: required` says that it runs tests even if its output
 * does not look like it, and `optional` that it may run none.
 */
export async function run(config: CheckOf<'command'>, context: CheckContext): Promise<CheckVerdict> {
  const since = config.report === undefined ? context.startedAt : context.now();
  const result = await context.run(programOf(config));
  if (result.kind === 'not-run') return notRunVerdict(result.message, { reason: result.reason });
  const { stdout, stderr, durationMs } = result;
  if (result.kind !== 'exited')
    return {
      passed: null,
      why: 'timeout',
      result: { stdout: keptText(stdout), stderr: keptText(stderr), durationMs },
      error: `timed out after ${formatDuration(durationMs)}; raise \`timeout\``,
    };
  return withTests(config, verdictOf(config, result), await findTests({ config, context, result, since }));
}

type ExitResult = ProcessResult & { readonly kind: 'exited' };

function verdictOf(config: CheckOf<'command'>, result: ExitResult): CheckVerdict {
  const { exitCode, stdout, stderr, durationMs } = result;
  const { expect = DEFAULT_EXPECT } = config;
  const shown = { exitCode, stdout: keptText(stdout), stderr: keptText(stderr), durationMs };
  try {
    if (evaluateCondition(expressionOf(expect), { exit_code: exitCode, stdout, stderr })) return { passed: true, result: shown };
    const unmet = expect === DEFAULT_EXPECT ? '' : `, which does not meet ${expect}`;
    return { passed: false, result: shown, error: `it ${exitSentence(result)}${unmet}` };
  } catch (thrown) {
    return notRunVerdict(`\`expect\` could not be evaluated: ${messageOf(thrown)}`, shown);
  }
}

interface Search {
  readonly config: CheckOf<'command'>;
  readonly context: CheckContext;
  readonly result: ExitResult;
  readonly since: number;
}

type TestSearch = { readonly counts: TestCounts } | { readonly unknown: string } | undefined;

// Undefined: nothing says that tests were run.
async function findTests({ config, context, result, since }: Search): Promise<TestSearch> {
  try {
    if (config.report !== undefined) {
      const report = await readFreshReport({ cwd: context.cwd, places: [config.report], since });
      return 'refusal' in report ? { unknown: report.refusal } : { counts: parseTestReport(report.text) };
    }
    const counts = recogniseTests(result);
    if (counts !== undefined) return { counts };
  } catch (thrown) {
    return { unknown: `the report of its tests cannot be read: ${messageOf(thrown)}` };
  }
  if (config.tests !== 'required') return undefined;
  return { unknown: 'its output is not from a known test runner; make it write JUnit XML or TAP, and name that file as report' };
}

function withTests(config: CheckOf<'command'>, verdict: CheckVerdict, tests: TestSearch): CheckVerdict {
  if (tests === undefined || verdict.passed === null) return verdict;
  // A program that ran and failed has failed, also without a report.
  if ('unknown' in tests) return verdict.passed ? notRunVerdict(tests.unknown, verdict.result) : verdict;
  const { counts } = tests;
  const result = { ...(verdict.result as JsonObject), ...recordOf(counts) };
  const noTest = config.tests === 'optional' ? undefined : whyNoTest(counts);
  if (noTest !== undefined) return notRunVerdict(noTest, result);
  // The exit code is easily lost, as in `pytest | tail`; an expect of the author's own is taken at its word.
  const isDefault = (config.expect ?? DEFAULT_EXPECT).trim() === DEFAULT_EXPECT;
  if (verdict.passed && counts.failed > 0 && isDefault)
    return { passed: false, result, error: `it exited with 0, but ${counts.failed} of its tests failed` };
  return { ...verdict, result };
}
