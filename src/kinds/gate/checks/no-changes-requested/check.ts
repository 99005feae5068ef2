// Owns the check `no_changes_requested` as the registry has it: its declaration, how it is written in a workflow file, and its execution.

import type { CheckCompiler } from '../../../../authoring/graph/work.ts';
import { checkForm } from '../../../../authoring/yaml/schema/form.ts';
import { omitUndefined } from '../../../../base/fields.ts';
import type { GateCheck } from '../../../../steps/check.ts';
import { noChangesRequestedCheck as declaration } from './declare.ts';
import { run } from './run.ts';

const yaml = checkForm({
  meaning: 'Fails while somebody with write permission asks for changes to the current head of the pull request.',
  fields: ({ literal }) => ({
    pr: literal('The stage that opened the pull request. Default: the pull request of the run.', 'open-docs').optional(),
  }),
  toSpec: ({ pr }) => omitUndefined({ pr }),
});

/** The check `no_changes_requested`: how it is declared, written in files and made. */
export const noChangesRequestedCheck: CheckCompiler & GateCheck = { ...declaration, run, yaml };
