// Owns the generated tests of a workflow as a suite for vitest: one test per case, with the id of the case as its name.

import { afterAll, describe, expect, test } from 'vitest';
import type { AnyWorkflow } from '../api/engine-options.ts';
import { planTests, type TestOptions } from './generated/plan.ts';

/** Registers the generated tests of a workflow: `describeWorkflow('fix', fix)`. */
export function describeWorkflow(name: string, workflow: AnyWorkflow, options: TestOptions = {}): void {
  describe(name, () => {
    const { tests, close } = planTests(workflow, options);
    afterAll(close);
    for (const { id, check } of tests)
      test(id, async () => {
        expect(await check()).toEqual([]);
      });
  });
}
