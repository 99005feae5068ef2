// Owns the root names of expressions, and where each of them comes from.

/** The root names of expressions in a graph. */
export const CONDITION_ROOTS: readonly string[] = ['result', 'params', 'checkpoint', 'outputs', 'run', 'step'];

/** Root names of facts outside the run. The host reads them before each evaluation and stores them in the data as `$name`. */
export const OUTSIDE_ROOTS: readonly string[] = ['github'];

/** Root names of facts that are stored in the run's data as `$name`, which authors cannot write. */
export const FACT_ROOTS: readonly string[] = ['trigger', 'config', ...OUTSIDE_ROOTS];

/** Root names that refer to the current step, in its own transitions. */
export const OWN_ROOTS: readonly string[] = ['result', 'gate', 'action', 'branches'];
