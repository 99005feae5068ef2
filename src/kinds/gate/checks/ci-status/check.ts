// Combines the check `ci_status` for the registry, with its form in workflow files.

import type { CheckCompiler } from '../../../../authoring/graph/work.ts';
import { checkForm } from '../../../../authoring/yaml/schema/form.ts';
import { omitUndefined } from '../../../../base/fields.ts';
import { CONCLUSIONS } from '../../../../definition/forge/conclusion.ts';
import type { GateCheck } from '../../../../steps/check.ts';
import { ciStatusCheck as declaration } from './declare.ts';
import { run } from './run.ts';

const yaml = checkForm({
  meaning: 'Waits for the checks of the forge.',
  fields: ({ texts, choice, literal }) => ({
    workflows: texts('The names of the workflows or checks. Default: all checks of the head, and those that the base branch requires.', [
      'test',
      'lint',
    ]).optional(),
    expect: choice('The conclusion that each must have. Default: success.', CONCLUSIONS).optional(),
    pr: literal('The stage that opened the pull request. Default: the pull request of the run.', 'open-docs').optional(),
  }),
  toSpec: ({ workflows = [], expect = 'success', pr }) => ({ workflows, expect, ...omitUndefined({ pr }) }),
});

/** The registry entry of the check `ci_status`. */
export const ciStatusCheck: CheckCompiler & GateCheck = { ...declaration, run, yaml };
