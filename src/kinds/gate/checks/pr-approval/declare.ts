// Declares the check `pr_approval`: how many people of which groups must approve the pull request.

import { omitUndefined } from '../../../../base/fields.ts';
import { type CheckConfigs, type CheckDeclaration, declareCheck, isNames, readPeople, readPr } from '../../../../definition/check.ts';

declare module '../../../../definition/check.ts' {
  interface CheckConfigs {
    pr_approval: { readonly from: string | readonly string[]; readonly count?: number; readonly pr?: string };
  }
}

/** How many different people of these groups. Default: one. */
export type PrApprovalCheck = CheckConfigs['pr_approval'];

/** Approvals of the pull request. */
export const prApprovalCheck: CheckDeclaration = declareCheck({
  name: 'pr_approval',
  readsFiles: false,
  requiredAtMerge: true,
  isApproval: true,
  independentOfRun: true,
  needsPullRequest: true,
  reactiveEvents: ['pull_request', 'pull_request_review'],
  fields: (read) => ({
    from: read.required('from', isNames, ['`from` must name the groups whose approval it needs', 'write one as from: maintainers']) ?? [],
    ...omitUndefined({ count: readPeople(read), pr: readPr(read) }),
  }),
});
