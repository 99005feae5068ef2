// Owns the author-facing types of the check `coverage`: the minimum, the metric and the report.

/** How much of the code the tests must have run, in percent. */
export interface CoverageFields {
  readonly minimum: number | `${number}%`;
  readonly metric?: 'line' | 'branch' | 'function';
  readonly report?: string;
  /** The files that are counted; all of the report without it. */
  readonly paths?: readonly string[];
}
