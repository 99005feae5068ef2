// Owns the words for how a step settled. What happened (the outcome) is kept apart from where the run goes next
// (the transition), so that the graph is data that can be checked before anything runs.

/** How a step settled. `DEFAULT` is a key of transition tables only: it covers what has no key of its own. */
export const Outcome = Object.freeze({
  OK: 'ok',
  FAIL: 'fail',
  SKIP: 'skip',
  ITERATE: 'iterate',
  REJECT: 'reject',
  ERROR: 'error',
  TIMEOUT: 'timeout',
  DEFAULT: '_default',
} as const);

/** One of the words of `Outcome`. */
export type Outcome = (typeof Outcome)[keyof typeof Outcome];

/** What a settled step can carry: the common outcomes and those a kind declares, such as `conflict`. */
export type OutcomeName = string;

/** Outcomes that every kind of step may settle with; a kind may declare more. */
export const COMMON_OUTCOMES: readonly OutcomeName[] = ['ok', 'fail', 'skip', 'iterate', 'reject', 'error', 'timeout'];

/** Outcomes that a string `next` covers. */
export const STRING_NEXT_COVERS: readonly OutcomeName[] = ['ok', 'skip'];

/** Outcomes that `_default` does not cover: trouble is routed only by name. */
export const DEFAULT_EXCLUDES: readonly OutcomeName[] = ['error', 'timeout'];
