// Owns the patterns of names in documents, such as `F-\d+`. An agent writes the documents, so a pattern must be fast on any
// text: only patterns that can be matched in linear time are accepted.

import { findPattern, patternProblem } from '../../expr/pattern.ts';

/** What is wrong with a pattern of names; undefined if it can be used. */
export function nameProblem(pattern: string): string | undefined {
  const why = patternProblem(pattern);
  return why === undefined ? undefined : `the pattern ${pattern} of names cannot be used: ${why}`;
}

/** The different names in a text that match a pattern. */
export function namesMatching(pattern: string, text: string): string[] {
  return [...new Set(findPattern(text, pattern))];
}
