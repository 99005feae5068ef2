// Owns what the check `pr_approval` declares: how many people of which groups must approve the pull request.

import type { CheckDeclaration, CheckOf } from '../../../../definition/check.ts';
import { isCount, isText, isTextList } from '../../../../definition/kind.ts';

/** How many different people of these groups. Default: one. */
export type PrApprovalCheck = { readonly from: string | readonly string[]; readonly count?: number; readonly pr?: string };

declare module '../../../../definition/check.ts' {
  interface CheckConfigs {
    pr_approval: PrApprovalCheck;
  }
}

/** Approvals of the pull request. */
export const prApprovalCheck: CheckDeclaration = {
  name: 'pr_approval',
  looksElsewhere: true,
  heldAtMerge: true,
  isApproval: true,
  sameInEveryRun: true,
  needsPullRequest: true,
  reactiveEvents: ['pull_request', 'pull_request_review'],
  validate({ from, count }: CheckOf<'pr_approval'>, report) {
    if (!isText(from) && !isTextList(from))
      report.fault('`from` must name the groups whose approval it needs', 'write one as from: maintainers');
    if (count !== undefined && !isCount(count, 1)) report.fault('`count` must be a number of people', 'write a whole number from 1 up');
  },
};
