// Owns what authors write for the check `coverage`, as types: the least share, of what, in which report.

/** How much of the code the tests must have run, in percent. */
export interface CoverageFields {
  readonly minimum: number | `${number}%`;
  readonly metric?: 'line' | 'branch' | 'function';
  readonly report?: string;
  /** The files that are counted; all of the report without it. */
  readonly paths?: readonly string[];
}
