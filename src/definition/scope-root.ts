// Owns the names that expressions may begin with, and where each of them comes from.

/** The names that expressions of a graph may begin with. */
export const CONDITION_ROOTS: readonly string[] = ['result', 'params', 'checkpoint', 'outputs', 'run', 'step'];

/** Names of facts outside the run. The host reads them before each evaluation and keeps them among the data as `$name`. */
export const OUTSIDE_ROOTS: readonly string[] = ['github'];

/** Names of facts that are kept among the run's data as `$name`, which no author can write. */
export const FACT_ROOTS: readonly string[] = ['trigger', 'config', ...OUTSIDE_ROOTS];

/** Names that mean the step at hand, in its own transitions. */
export const OWN_ROOTS: readonly string[] = ['result', 'gate', 'action', 'branches'];
