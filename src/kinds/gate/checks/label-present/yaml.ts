// Owns how the check `label_present` is written in a workflow file.

import { listOf } from '../../../../authoring/yaml/compile/part.ts';
import { type CheckForm, checkForm } from '../../../../authoring/yaml/schema/form.ts';
import { present } from '../../../../base/fields.ts';

/** The labels, and where they must be. */
export const yaml: CheckForm = checkForm({
  meaning: 'Waits until the issue or the pull request has a label.',
  fields: ({ oneOrMore, choice, literal }) => ({
    label: oneOrMore('The label, or several of which all must be there.', 'ready-to-merge'),
    target: choice('Where it must be. Default: the issue if the run is about one, else the pull request.', ['issue', 'pr']).optional(),
    pr: literal('The stage whose pull request it is. Default: that of the run.', 'open-docs').optional(),
  }),
  toSpec: ({ label, target, pr }) => ({ label: listOf(label), ...present({ target, pr }) }),
});
