// Combines the check `pr_approval` for the registry, with its form in workflow files.

import type { CheckCompiler } from '../../../../authoring/graph/work.ts';
import { listOf } from '../../../../authoring/yaml/compile/part.ts';
import { checkForm } from '../../../../authoring/yaml/schema/form.ts';
import { omitUndefined } from '../../../../base/fields.ts';
import type { GateCheck } from '../../../../steps/check.ts';
import { prApprovalCheck as declaration } from './declare.ts';
import { run } from './run.ts';

const yaml = checkForm({
  meaning: 'Waits for approvals of the pull request.',
  fields: ({ oneOrMore, count, literal }) => ({
    from: oneOrMore('The group or groups whose members may approve.', 'maintainers', ['maintainers', 'security-team']),
    count: count('How many different people must approve the current head. Default: 1.', 2).optional(),
    pr: literal('The stage that opened the pull request. Default: the pull request of the run.', 'open-docs').optional(),
  }),
  toSpec: ({ from, count = 1, pr }) => ({ from: listOf(from), count, ...omitUndefined({ pr }) }),
});

/** The registry entry of the check `pr_approval`. */
export const prApprovalCheck: CheckCompiler & GateCheck = { ...declaration, run, yaml };
