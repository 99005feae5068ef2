// Owns what the check `branch_up_to_date` declares: the head of the pull request has every commit of its base branch.

import type { CheckDeclaration, CheckOf } from '../../../../definition/check.ts';
import { isText } from '../../../../definition/kind.ts';

/** `pr` is the step that opened the pull request. */
export type BranchUpToDateCheck = { readonly pr?: string };

declare module '../../../../definition/check.ts' {
  interface CheckConfigs {
    branch_up_to_date: BranchUpToDateCheck;
  }
}

/** The branch is not behind its base. */
export const branchUpToDateCheck: CheckDeclaration = {
  name: 'branch_up_to_date',
  looksElsewhere: true,
  sameInEveryRun: true,
  needsPullRequest: true,
  reactiveEvents: ['push', 'pull_request'],
  validate({ pr }: CheckOf<'branch_up_to_date'>, report) {
    if (pr !== undefined && !isText(pr)) report.fault('`pr` must name a step', 'name the step that opened the pull request');
  },
};
