// Owns how the check `human_approved` is written in a workflow file.

import { type CheckForm, checkForm } from '../../../../authoring/yaml/schema/form.ts';

/** The stage that asked. */
export const yaml: CheckForm = checkForm({
  meaning: 'Passes if a person approved at an earlier human stage and the files have not changed since.',
  fields: ({ literal }) => ({ stage: literal('The human stage.', 'approve') }),
  toSpec: ({ stage }) => ({ step: stage }),
});
