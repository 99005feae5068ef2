// Owns how the check `ci_status` is written in a workflow file.

import { type CheckForm, checkForm } from '../../../../authoring/yaml/schema/form.ts';
import { present } from '../../../../base/fields.ts';
import { CONCLUSIONS } from '../../../../definition/forge/conclusion.ts';

/** The CI workflows to check, and the conclusion each must have. */
export const yaml: CheckForm = checkForm({
  meaning: 'Waits for the checks of the forge.',
  fields: ({ texts, choice, literal }) => ({
    workflows: texts('The names of the workflows or checks. Default: all checks of the head, and those that the base branch requires.', [
      'test',
      'lint',
    ]).optional(),
    expect: choice('The conclusion that each must have. Default: success.', CONCLUSIONS).optional(),
    pr: literal('The stage that opened the pull request. Default: the pull request of the run.', 'open-docs').optional(),
  }),
  toSpec: ({ workflows = [], expect = 'success', pr }) => ({ workflows, expect, ...present({ pr }) }),
});
