// Owns what authors write for the check `file_exists`, as types: files that must exist.
// Its configuration has the same fields.

/** Files that must exist. */
export type FileExistsCheck = { readonly paths: readonly string[] };
