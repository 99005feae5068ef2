// Owns what authors write for the check `pr_approval`, as types: how many people of which groups must approve the pull request.
// Its configuration has the same fields.

/** How many different people of these groups. Default: one. */
export type PrApprovalCheck = { readonly from: string | readonly string[]; readonly count?: number; readonly pr?: string };
