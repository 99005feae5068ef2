// Owns how the check `file_exists` is written in a workflow file.

import { type CheckForm, checkForm } from '../../../../authoring/yaml/schema/form.ts';

/** Files that must exist. */
export const yaml: CheckForm = checkForm({
  meaning: 'Looks for files.',
  fields: ({ texts }) => ({ paths: texts('Files that must exist inside the workspace.', ['README.md', 'CHANGELOG.md']) }),
  toSpec: ({ paths }) => ({ paths }),
});
