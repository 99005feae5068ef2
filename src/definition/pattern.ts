// Owns what is special in a pattern of paths, and so how much of a path a pattern spells out.

const SPECIAL = /[*?[\]{}()!+@\\]/;

/** Whether a pattern is a path and nothing more, so that it stands for that path alone. */
export function isPlain(pattern: string): boolean {
  return !SPECIAL.test(pattern);
}

/** What a pattern spells out before its first special character; all of it where it has none. */
export function fixedStart(pattern: string): string {
  const end = pattern.search(SPECIAL);
  return end === -1 ? pattern : pattern.slice(0, end);
}

/** The folders that a pattern spells out, the outermost first: whatever it matches lies below them. */
export function fixedFolders(pattern: string): readonly string[] {
  return fixedStart(pattern).split('/').slice(0, -1);
}
