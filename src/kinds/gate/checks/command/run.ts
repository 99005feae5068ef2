// Owns the check `command`: a program whose end is judged by an expression over its exit code and output. Where it is
// known to run tests, also by how many ran: a test run without a test shows nothing.

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
export async function run(config: CheckOf<'command'>, scene: CheckContext): Promise<CheckVerdict> {
  const since = config.report === undefined ? scene.startedAt : scene.now();
  const result = await scene.run(programOf(config));
  if (result.kind === 'not-run') return notRunVerdict(result.message, { reason: result.reason });
  const { stdout, stderr, durationMs } = result;
  if (result.kind !== 'exited')
    return {
      passed: null,
      why: 'timeout',
      result: { stdout: keptText(stdout), stderr: keptText(stderr), durationMs },
      error: 'it ran out of time',
    };
  return withTests(config, judge(config, result), await findTests({ config, scene, result, since }));
}

type ExitResult = ProcessResult & { readonly kind: 'exited' };

function judge(config: CheckOf<'command'>, result: ExitResult): CheckVerdict {
  const { exitCode, stdout, stderr, durationMs } = result;
  const { expect = DEFAULT_EXPECT } = config;
  const seen = { exitCode, stdout: keptText(stdout), stderr: keptText(stderr), durationMs };
  try {
    if (evaluateCondition(expressionOf(expect), { exit_code: exitCode, stdout, stderr })) return { passed: true, result: seen };
    const unmet = expect === DEFAULT_EXPECT ? '' : `, which does not meet ${expect}`;
    return { passed: false, result: seen, error: `it ${exitSentence(result)}${unmet}` };
  } catch (thrown) {
    return notRunVerdict(`its expect could not be evaluated: ${messageOf(thrown)}`, seen);
  }
}

interface Search {
  readonly config: CheckOf<'command'>;
  readonly scene: CheckContext;
  readonly result: ExitResult;
  readonly since: number;
}

type TestSearch = { readonly counts: TestCounts } | { readonly unknown: string } | undefined;

// Undefined: nothing says that tests were run.
async function findTests({ config, scene, result, since }: Search): Promise<TestSearch> {
  try {
    if (config.report !== undefined) {
      const report = await readFreshReport({ cwd: scene.cwd, places: [config.report], since });
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

function withTests(config: CheckOf<'command'>, verdict: CheckVerdict, found: TestSearch): CheckVerdict {
  if (found === undefined || verdict.passed === null) return verdict;
  // A program that ran and failed has failed, also without a report.
  if ('unknown' in found) return verdict.passed ? notRunVerdict(found.unknown, verdict.result) : verdict;
  const { counts } = found;
  const result = { ...(verdict.result as JsonObject), ...recordOf(counts) };
  const noTest = config.tests === 'optional' ? undefined : whyNoTest(counts);
  if (noTest !== undefined) return notRunVerdict(noTest, result);
  // The exit code is easily lost, as in `pytest | tail`; an expect of the author's own is taken at its word.
  const isDefault = (config.expect ?? DEFAULT_EXPECT).trim() === DEFAULT_EXPECT;
  if (verdict.passed && counts.failed > 0 && isDefault)
    return { passed: false, result, error: `it exited with 0, but ${counts.failed} of its tests failed` };
  return { ...verdict, result };
}
