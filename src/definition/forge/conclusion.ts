// Owns the conclusions of CI checks, with GitHub's names.

/** The conclusions of checks. */
export const CONCLUSIONS = [
  'success',
  'failure',
  'neutral',
  'cancelled',
  'skipped',
  'timed_out',
  'action_required',
  'stale',
  'startup_failure',
] as const;
