// Owns how the check `human_approved` is written in a workflow file.

import { type CheckForm, checkForm } from '../../../../authoring/yaml/schema/form.ts';

/** The stage that asked. */
export const yaml: CheckForm = checkForm({
  meaning: 'Holds if a person has approved at an earlier human stage, and the files are still those that were approved.',
  fields: ({ literal }) => ({ stage: literal('The human stage.', 'approve') }),
  toSpec: ({ stage }) => ({ step: stage }),
});
