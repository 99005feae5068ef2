// Combines the check `file_exists` for the registry, with its form in workflow files.

import type { CheckCompiler } from '../../../../authoring/graph/work.ts';
import { checkForm } from '../../../../authoring/yaml/schema/form.ts';
import type { GateCheck } from '../../../../steps/check.ts';
import { fileExistsCheck as declaration } from './declare.ts';
import { run } from './run.ts';

const yaml = checkForm({
  meaning: 'Passes if files exist.',
  fields: ({ texts }) => ({ paths: texts('Files that must exist inside the workspace.', ['README.md', 'CHANGELOG.md']) }),
  toSpec: ({ paths }) => ({ paths }),
});

/** The registry entry of the check `file_exists`. */
export const fileExistsCheck: CheckCompiler & GateCheck = { ...declaration, run, yaml };
