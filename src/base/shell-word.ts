// Quotes a string as one word of a POSIX shell, for commands that are printed to be pasted.

/** Returns the string quoted as one shell word. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./#-]+$/.test(text) && !text.startsWith('#') ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
