// Owns what authors write for the check `ci_status`, as types: which checks of the forge must have concluded, and how.
// Its configuration has the same fields.

/** The CI workflows to check (default: all), and the conclusion each must have. */
export type CiStatusCheck = { readonly workflows?: readonly string[]; readonly expect?: string; readonly pr?: string };
