// Owns how the check `ci_status` is written in a workflow file.

import { type CheckForm, checkForm } from '../../../../authoring/yaml/schema/form.ts';
import { CONCLUSIONS } from '../../../../definition/conclusion.ts';

/** The workflows of the forge that are looked at, and the conclusion each must have. */
export const yaml: CheckForm = checkForm({
  meaning: 'Waits for the checks of the forge.',
  fields: ({ texts, choice }) => ({
    workflows: texts('The workflows or checks that are looked at, by name. Default: all.', ['test', 'lint']).optional(),
    expect: choice('The conclusion that each must have. Default: success.', CONCLUSIONS).optional(),
  }),
  toSpec: ({ workflows = [], expect = 'success' }) => ({ workflows, expect }),
});
