// Owns how the check `label_present` is written in a workflow file.

import { listOf } from '../../../../authoring/yaml/compile/part.ts';
import { type CheckForm, checkForm } from '../../../../authoring/yaml/schema/form.ts';
import { present } from '../../../../base/fields.ts';

/** The labels, and where they must be. */
export const yaml: CheckForm = checkForm({
  meaning: 'Waits until the issue or the pull request has a label.',
  fields: ({ oneOrMore, choice, literal }) => ({
    label: oneOrMore('The label, or several labels that must all be present.', 'ready-to-merge'),
    target: choice('What must have the label. Default: the issue if the run is about one, otherwise the pull request.', [
      'issue',
      'pr',
    ]).optional(),
    pr: literal('The stage that opened the pull request. Default: the pull request of the run.', 'open-docs').optional(),
  }),
  toSpec: ({ label, target, pr }) => ({ label: listOf(label), ...present({ target, pr }) }),
});
