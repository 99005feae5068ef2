// Owns the check `pr_approval` as the registry has it: its declaration, how it is written in a workflow file, and its execution.

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

/** The check `pr_approval`: how it is declared, written in files and made. */
export const prApprovalCheck: CheckCompiler & GateCheck = { ...declaration, run, yaml };
