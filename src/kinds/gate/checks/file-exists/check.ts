// Owns the check `file_exists` as the registry has it: its declaration, how it is written in a workflow file, and its execution.

import type { CheckCompiler } from '../../../../authoring/graph/work.ts';
import { checkForm } from '../../../../authoring/yaml/schema/form.ts';
import type { GateCheck } from '../../../../steps/check.ts';
import { fileExistsCheck as declaration } from './declare.ts';
import { run } from './run.ts';

const yaml = checkForm({
  meaning: 'Looks for files.',
  fields: ({ texts }) => ({ paths: texts('Files that must exist inside the workspace.', ['README.md', 'CHANGELOG.md']) }),
  toSpec: ({ paths }) => ({ paths }),
});

/** The check `file_exists`: how it is declared, written in files and made. */
export const fileExistsCheck: CheckCompiler & GateCheck = { ...declaration, run, yaml };
