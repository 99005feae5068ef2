// Owns what authors write for the check `no_changes_requested`, as types: of which pull request nobody requests changes.
// Its configuration has the same fields.

/** `pr` is the step that opened the pull request. */
export type NoChangesRequestedCheck = { readonly pr?: string };
