// Owns how the check `branch_up_to_date` is written in a workflow file.

import { type CheckForm, checkForm } from '../../../../authoring/yaml/schema/form.ts';
import { present } from '../../../../base/fields.ts';

/** Which pull request is checked. */
export const yaml: CheckForm = checkForm({
  meaning: 'Fails while the base branch has commits that the head of the pull request does not have.',
  fields: ({ literal }) => ({
    pr: literal('The stage that opened the pull request. Default: the pull request of the run.', 'open-docs').optional(),
  }),
  toSpec: ({ pr }) => present({ pr }),
});
