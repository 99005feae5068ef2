// Owns what authors write for the check `human_approved`, as types: the question that a person must have approved.
// Its configuration has the same fields.

/** The step that asked. */
export type HumanApprovedCheck<Asks = string> = { readonly step: Asks };
