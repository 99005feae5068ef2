// Runs generated tests, and returns their results as data.

import type { AnyWorkflow } from '../../api/engine-options.ts';
import { messageOf } from '../../base/error.ts';
import { type PlannedTest, planTests, type TestCategory, type TestOptions } from './plan.ts';

/** The result of one generated test. */
export interface TestResult {
  readonly id: string;
  readonly category: TestCategory;
  readonly ok: boolean;
  readonly problems: readonly string[];
  readonly durationMs: number;
}

/** The results of a workflow's generated tests. */
export interface WorkflowTestResult {
  readonly workflow: string;
  readonly ok: boolean;
  readonly passed: number;
  readonly failed: number;
  readonly durationMs: number;
  readonly results: readonly TestResult[];
}

/** Generates the tests of a workflow and runs them. No agent, handler or command of it is run, and no request is sent. */
export async function testWorkflow(workflow: AnyWorkflow, options: TestOptions = {}): Promise<WorkflowTestResult> {
  const plan = planTests(workflow, options);
  try {
    return summaryOf(plan.workflow, await runTests(plan.tests));
  } finally {
    await plan.close();
  }
}

/** Runs tests one after the other. */
export async function runTests(
  tests: readonly PlannedTest[],
  onResult: (result: TestResult) => void = () => undefined,
): Promise<readonly TestResult[]> {
  const results: TestResult[] = [];
  for (const test of tests) {
    const result = await resultOf(test);
    results.push(result);
    onResult(result);
  }
  return results;
}

async function resultOf({ id, category, check }: PlannedTest): Promise<TestResult> {
  const start = performance.now();
  const problems = await check().catch((error: unknown) => [messageOf(error)]);
  return { id, category, ok: problems.length === 0, problems, durationMs: Math.round(performance.now() - start) };
}

/** Counts results. */
export function summaryOf(workflow: string, results: readonly TestResult[]): WorkflowTestResult {
  const failed = results.filter(({ ok }) => !ok).length;
  const durationMs = results.reduce((sum, result) => sum + result.durationMs, 0);
  return { workflow, ok: failed === 0, passed: results.length - failed, failed, durationMs, results };
}
