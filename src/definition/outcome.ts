// Owns the outcomes of steps. The outcome (what happened) is separate from the transition (where the run goes next), so
// that the graph is data that can be checked before anything runs.

/** How a step settled. `DEFAULT` is only a key of transition tables: it covers outcomes without a key. */
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

/** One of the values of `Outcome`. */
export type Outcome = (typeof Outcome)[keyof typeof Outcome];

/** The outcome of a settled step: a common one, or one that its kind declares, such as `conflict`. */
export type OutcomeName = string;

/** Outcomes that every step kind can settle with; a kind can declare more. */
export const COMMON_OUTCOMES: readonly OutcomeName[] = ['ok', 'fail', 'skip', 'iterate', 'reject', 'error', 'timeout'];

/** Whether a step succeeded: `ok`, or an outcome that its code chose for accepted work. */
export function isSuccess({ routes = [] }: { readonly routes?: readonly OutcomeName[] }, outcome: OutcomeName): boolean {
  return outcome === 'ok' || routes.includes(outcome);
}

/** Whether a step with this outcome has a result that later steps can read. */
export function hasResult(outcome: string): boolean {
  return outcome !== 'error' && outcome !== 'timeout' && outcome !== 'cancelled' && outcome !== 'skip';
}

/** Outcomes of work that an outside system rejected, so nothing was written or merged. People see them as failures. */
export const REFUSED_ELSEWHERE: ReadonlySet<OutcomeName> = new Set(['conflict', 'ci_failure', 'stale_head', 'stale_tree']);

/** Outcomes that a string `next` covers. */
export const STRING_NEXT_COVERS: readonly OutcomeName[] = ['ok', 'skip'];

/** Outcomes that `_default` does not cover: failures are only routed by name. */
export const DEFAULT_EXCLUDES: readonly OutcomeName[] = ['error', 'timeout'];
