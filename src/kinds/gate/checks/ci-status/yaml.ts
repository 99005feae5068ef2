// Owns how the check `ci_status` is written in a workflow file.

import { type CheckForm, checkForm } from '../../../../authoring/yaml/schema/form.ts';
import { present } from '../../../../base/fields.ts';
import { CONCLUSIONS } from '../../../../definition/conclusion.ts';

/** The workflows of the forge that are looked at, and the conclusion each must have. */
export const yaml: CheckForm = checkForm({
  meaning: 'Waits for the checks of the forge.',
  fields: ({ texts, choice, literal }) => ({
    workflows: texts(
      'The workflows or checks that are looked at, by name. Default: all of the head, and those that the base branch requires.',
      ['test', 'lint'],
    ).optional(),
    expect: choice('The conclusion that each must have. Default: success.', CONCLUSIONS).optional(),
    pr: literal('The stage whose pull request it is. Default: that of the run.', 'open-docs').optional(),
  }),
  toSpec: ({ workflows = [], expect = 'success', pr }) => ({ workflows, expect, ...present({ pr }) }),
});
