// Owns how a check of CI can end, as GitHub names it.

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
