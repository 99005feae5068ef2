// Owns how the check `no_changes_requested` is written in a workflow file.

import { type CheckForm, checkForm } from '../../../../authoring/yaml/schema/form.ts';
import { present } from '../../../../base/fields.ts';

/** Which pull request is checked. */
export const yaml: CheckForm = checkForm({
  meaning: 'Fails while somebody with write permission asks for changes to the current head of the pull request.',
  fields: ({ literal }) => ({
    pr: literal('The stage that opened the pull request. Default: the pull request of the run.', 'open-docs').optional(),
  }),
  toSpec: ({ pr }) => present({ pr }),
});
