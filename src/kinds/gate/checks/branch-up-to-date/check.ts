// Combines the check `branch_up_to_date` for the registry, with its form in workflow files.

import type { CheckCompiler } from '../../../../authoring/graph/work.ts';
import { checkForm } from '../../../../authoring/yaml/schema/form.ts';
import { omitUndefined } from '../../../../base/fields.ts';
import type { GateCheck } from '../../../../steps/check.ts';
import { branchUpToDateCheck as declaration } from './declare.ts';
import { run } from './run.ts';

const yaml = checkForm({
  meaning: 'Fails while the base branch has commits that the head of the pull request does not have.',
  fields: ({ literal }) => ({
    pr: literal('The stage that opened the pull request. Default: the pull request of the run.', 'open-docs').optional(),
  }),
  toSpec: ({ pr }) => omitUndefined({ pr }),
});

/** The registry entry of the check `branch_up_to_date`. */
export const branchUpToDateCheck: CheckCompiler & GateCheck = { ...declaration, run, yaml };
