// Owns the special characters of path patterns, and so how much of a path a pattern fixes.

const SPECIAL = /[*?[\]{}()!+@\\]/;

/** Whether a pattern is a plain path without special characters. */
export function isPlain(pattern: string): boolean {
  return !SPECIAL.test(pattern);
}

/** Returns the part of a pattern before its first special character. */
export function fixedStart(pattern: string): string {
  const end = pattern.search(SPECIAL);
  return end === -1 ? pattern : pattern.slice(0, end);
}

/** Returns the fixed folders of a pattern, outermost first: everything it matches is below them. */
export function fixedFolders(pattern: string): readonly string[] {
  return fixedStart(pattern).split('/').slice(0, -1);
}
