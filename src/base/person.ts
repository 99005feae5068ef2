// Owns when two names mean the same person: compared case-insensitively for A to Z only, as forges do. Similar-looking
// letters are different.

/** Whether two names mean the same person. */
export function isSamePerson(one: string, other: string): boolean {
  return foldedName(one) === foldedName(other);
}

/** Returns a name in the form used for comparison. Not toLowerCase: it maps the Kelvin sign to "k" and would merge two people. */
export function foldedName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
