// Owns what the check `pr_approvals_met` declares: how many people with write permission must approve the pull request.

import type { CheckDeclaration, CheckOf } from '../../../../definition/check.ts';
import { isCount, isText } from '../../../../definition/kind.ts';

/** How many different people with write permission. Default: one. `pr` is the step that opened the pull request. */
export type PrApprovalsMetCheck = { readonly count?: number; readonly pr?: string };

declare module '../../../../definition/check.ts' {
  interface CheckConfigs {
    pr_approvals_met: PrApprovalsMetCheck;
  }
}

/** Approvals of the pull request by people with write permission. */
export const prApprovalsMetCheck: CheckDeclaration = {
  name: 'pr_approvals_met',
  looksElsewhere: true,
  heldAtMerge: true,
  isApproval: true,
  sameInEveryRun: true,
  needsPullRequest: true,
  reactiveEvents: ['pull_request', 'pull_request_review'],
  validate({ count, pr }: CheckOf<'pr_approvals_met'>, report) {
    if (count !== undefined && !isCount(count, 1)) report.fault('`count` must be a number of people', 'write a whole number from 1 up');
    if (pr !== undefined && !isText(pr)) report.fault('`pr` must name a step', 'name the step that opened the pull request');
  },
};
