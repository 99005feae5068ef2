// Owns how the check `pr_approvals_met` is written in a workflow file.

import { type CheckForm, checkForm } from '../../../../authoring/yaml/schema/form.ts';
import { present } from '../../../../base/fields.ts';

/** How many people with write permission must approve. */
export const yaml: CheckForm = checkForm({
  meaning: 'Waits for approvals of the pull request by people with write permission.',
  fields: ({ count, literal }) => ({
    count: count('How many different people must approve the current head. Default: 1.', 2).optional(),
    pr: literal('The stage that opened the pull request. Default: the pull request of the run.', 'open-docs').optional(),
  }),
  toSpec: ({ count = 1, pr }) => ({ count, ...present({ pr }) }),
});
