// Owns when two names are those of one person: letter by letter, A to Z in either case, as forges compare them. Letters
// that only look alike are others.

/** Whether two names are those of one person. */
export function isSamePerson(one: string, other: string): boolean {
  return foldedName(one) === foldedName(other);
}

/** A name in the form in which names are compared. Not toLowerCase: it makes a "k" of the Kelvin sign, and so two people one. */
export function foldedName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
