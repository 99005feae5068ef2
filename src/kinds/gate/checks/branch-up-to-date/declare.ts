// Declares the check `branch_up_to_date`: the head of the pull request has every commit of its base branch.

import { omitUndefined } from '../../../../base/fields.ts';
import { type CheckConfigs, type CheckDeclaration, declareCheck, readPr } from '../../../../definition/check.ts';

declare module '../../../../definition/check.ts' {
  interface CheckConfigs {
    branch_up_to_date: { readonly pr?: string };
  }
}

/** `pr` is the step that opened the pull request. */
export type BranchUpToDateCheck = CheckConfigs['branch_up_to_date'];

/** The branch is not behind its base. */
export const branchUpToDateCheck: CheckDeclaration = declareCheck({
  name: 'branch_up_to_date',
  readsFiles: false,
  independentOfRun: true,
  needsPullRequest: true,
  reactiveEvents: ['push', 'pull_request'],
  fields: (read) => omitUndefined({ pr: readPr(read) }),
});
