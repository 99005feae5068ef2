// Owns what authors write for the check `branch_up_to_date`, as types: which pull request is up to date.
// Its configuration has the same fields.

/** `pr` is the step that opened the pull request. */
export type BranchUpToDateCheck = { readonly pr?: string };
