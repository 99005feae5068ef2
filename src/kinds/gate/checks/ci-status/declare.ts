// Owns what the check `ci_status` declares: which checks of the forge must have concluded, and how.

import { type CheckDeclaration, type CheckOf, isSelection } from '../../../../definition/check.ts';

/** The CI workflows to check (default: all), and the conclusion each must have. */
export type CiStatusCheck = { readonly workflows?: readonly string[]; readonly expect?: string; readonly pr?: string };

declare module '../../../../definition/check.ts' {
  interface CheckConfigs {
    ci_status: CiStatusCheck;
  }
}

/** Checks of the forge. */
export const ciStatusCheck: CheckDeclaration = {
  name: 'ci_status',
  looksElsewhere: true,
  heldAtMerge: true,
  judgesWork: true,
  sameInEveryRun: true,
  needsPullRequest: true,
  reactiveEvents: ['check_run', 'check_suite', 'status', 'workflow_run', 'pull_request'],
  validate({ workflows, expect }: CheckOf<'ci_status'>, report) {
    if (!isSelection(workflows)) report.fault('`workflows` must be a list of names', 'write them as workflows: ["test"]');
    if (expect !== undefined && !(typeof expect === 'string' && /^[a-z_]+$/.test(expect)))
      report.fault('`expect` must be a conclusion', 'write a word such as success');
  },
};
