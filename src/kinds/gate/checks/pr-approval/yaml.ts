// Owns how the check `pr_approval` is written in a workflow file.

import { listOf } from '../../../../authoring/yaml/compile/part.ts';
import { type CheckForm, checkForm } from '../../../../authoring/yaml/schema/form.ts';
import { present } from '../../../../base/fields.ts';

/** The groups whose approval is needed, and how many people of them. */
export const yaml: CheckForm = checkForm({
  meaning: 'Waits for approvals of the pull request.',
  fields: ({ oneOrMore, count, literal }) => ({
    from: oneOrMore('The group or groups whose members may approve.', 'maintainers', ['maintainers', 'security-team']),
    count: count('How many different people must approve the current head. Default: 1.', 2).optional(),
    pr: literal('The stage that opened the pull request. Default: the pull request of the run.', 'open-docs').optional(),
  }),
  toSpec: ({ from, count = 1, pr }) => ({ from: listOf(from), count, ...present({ pr }) }),
});
