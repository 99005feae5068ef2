// Combines the check `pr_approvals_met` for the registry, with its form in workflow files.

import type { CheckCompiler } from '../../../../authoring/graph/work.ts';
import { checkForm } from '../../../../authoring/yaml/schema/form.ts';
import { omitUndefined } from '../../../../base/fields.ts';
import type { GateCheck } from '../../../../steps/check.ts';
import { prApprovalsMetCheck as declaration } from './declare.ts';
import { run } from './run.ts';

const yaml = checkForm({
  meaning: 'Waits for approvals of the pull request by people with write permission.',
  fields: ({ count, literal }) => ({
    count: count('How many different people must approve the current head. Default: 1.', 2).optional(),
    pr: literal('The stage that opened the pull request. Default: the pull request of the run.', 'open-docs').optional(),
  }),
  toSpec: ({ count = 1, pr }) => ({ count, ...omitUndefined({ pr }) }),
});

/** The registry entry of the check `pr_approvals_met`. */
export const prApprovalsMetCheck: CheckCompiler & GateCheck = { ...declaration, run, yaml };
