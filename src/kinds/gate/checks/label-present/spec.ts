// Owns what authors write for the check `label_present`, as types: labels that the issue or the pull request must have.
// Its configuration has the same fields.

/** The labels, all of which must be present. `pr` is the step that opened the pull request, and implies `target: pr`. */
export type LabelPresentCheck = { readonly label: string | readonly string[]; readonly target?: 'issue' | 'pr'; readonly pr?: string };
