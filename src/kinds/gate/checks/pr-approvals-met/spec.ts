// Owns what authors write for the check `pr_approvals_met`, as types: how many people with write permission must approve the pull request.
// Its configuration has the same fields.

/** How many different people with write permission. Default: one. `pr` is the step that opened the pull request. */
export type PrApprovalsMetCheck = { readonly count?: number; readonly pr?: string };
