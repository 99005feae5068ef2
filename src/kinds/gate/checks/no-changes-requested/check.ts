// Combines the check `no_changes_requested` for the registry, with its form in workflow files.

import type { CheckCompiler } from '../../../../authoring/graph/work.ts';
import { checkForm } from '../../../../authoring/yaml/schema/form.ts';
import { omitUndefined } from '../../../../base/fields.ts';
import type { GateCheck } from '../../../../steps/check.ts';
import { noChangesRequestedCheck as declaration } from './declare.ts';
import { run } from './run.ts';

const yaml = checkForm({
  meaning: 'Fails while a person with write permission requests changes to the current head of the pull request.',
  fields: ({ literal }) => ({
    pr: literal('The stage that opened the pull request. Default: the pull request of the run.', 'open-docs').optional(),
  }),
  toSpec: ({ pr }) => omitUndefined({ pr }),
});

/** The registry entry of the check `no_changes_requested`. */
export const noChangesRequestedCheck: CheckCompiler & GateCheck = { ...declaration, run, yaml };
