// Owns quoting a text as one word of a POSIX shell, for commands that are printed to be pasted.

/** A text quoted as one shell word. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./#-]+$/.test(text) && !text.startsWith('#') ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
