// Combines the kind `gate` for the registry, with its form in workflow files.

import type { KindCompiler } from '../../authoring/graph/work.ts';
import { type StageForm, stageForm } from '../../authoring/yaml/schema/form.ts';
import type { StageWriter } from '../../authoring/yaml/write/stage.ts';
import { omitUndefined } from '../../base/fields.ts';
import type { JsonObject } from '../../base/json.ts';
import type { StepOf } from '../../definition/model.ts';
import type { KindExecutor } from '../../steps/work.ts';
import { gate as compiler } from './compile.ts';
import { execute } from './run.ts';

/** The checks, all of which must pass. */
const yaml: StageForm = stageForm({
  meaning: 'Checks that the work must pass.',
  transitions: ['on_pass', 'on_fail'],
  fields: ({ z, noted, check, choice }) => ({
    conditions: noted(z.array(check).min(1), {
      description: 'The checks. All run, in this order, and all must pass.',
      examples: [[{ check: 'command', run: 'npm test' }]],
      accepts: 'a list of checks',
    }),
    rerun_at_merge: noted(z.boolean().optional(), {
      description:
        'If files change after this gate passed, a merge runs it again. Set it to false for a gate that is only about that moment, such as a test that must fail before the fix.',
      examples: [false],
      accepts: 'true or false',
    }),
    flaky: choice('Runs a failed check again; if it passes the second time, fails the gate, or passes it and reports the check as flaky.', [
      'fail',
      'quarantine',
    ]).optional(),
  }),
  toSpec: ({ conditions, rerun_at_merge: rerunAtMerge, flaky }, { checkOf }) => ({
    gate: { checks: conditions.map(checkOf), ...omitUndefined({ rerunAtMerge, flaky }) },
  }),
  rules: ({ conditions }, path, { checkRules }) => conditions.flatMap((check, index) => checkRules(check, [...path, 'conditions', index])),
});

/** A gate as a stage. */
function write({ config: { checks, flaky } }: StepOf<'gate'>, { checkOf }: StageWriter): JsonObject {
  return omitUndefined({ conditions: checks.map(checkOf), flaky });
}

/** The registry entry of the kind `gate`. */
export const gateKind: KindCompiler & KindExecutor = { ...compiler, execute, write, yaml };
