// Owns the names that the steps of `solution-design` and its designers share: constraints, criteria, designs, and the
// documents that define them.

/** Hard constraints, `H-1`. */
export const CONSTRAINTS = { pattern: '\\bH-\\d+\\b', to: '{folder}/01-problem.md' } as const;

/** Criteria, `K-1`. */
export const CRITERIA = { pattern: '\\bK-\\d+\\b', to: '{folder}/02-criteria.md' } as const;

/** Designers and their designs, `P-1`. */
export const DESIGNS = { pattern: '\\bP-\\d+\\b', to: '{folder}/03-briefs.md' } as const;

/** How many words a designer returns. */
export const RETURNED_WORDS = 120;
