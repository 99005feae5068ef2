// Declares the check `pr_approvals_met`: how many people with write permission must approve the pull request.

import { omitUndefined } from '../../../../base/fields.ts';
import { type CheckConfigs, type CheckDeclaration, declareCheck, readPeople, readPr } from '../../../../definition/check.ts';

declare module '../../../../definition/check.ts' {
  interface CheckConfigs {
    pr_approvals_met: { readonly count?: number; readonly pr?: string };
  }
}

/** How many different people with write permission. Default: one. `pr` is the step that opened the pull request. */
export type PrApprovalsMetCheck = CheckConfigs['pr_approvals_met'];

/** Approvals of the pull request by people with write permission. */
export const prApprovalsMetCheck: CheckDeclaration = declareCheck({
  name: 'pr_approvals_met',
  readsFiles: false,
  requiredAtMerge: true,
  isApproval: true,
  independentOfRun: true,
  needsPullRequest: true,
  reactiveEvents: ['pull_request', 'pull_request_review'],
  fields: (read) => omitUndefined({ count: readPeople(read), pr: readPr(read) }),
});
