// Decides whether two names mean the same person: they are compared case-insensitively for A to Z only, as forges do.
// Similar-looking letters are different. The groups of the settings name people as the forge does, so `github:ann`, as
// a decision at the forge is recorded, is `ann`: a person who decides at the forge and here has one vote.

/** Whether two names mean the same person. */
export function isSamePerson(one: string, other: string): boolean {
  return foldedName(one) === foldedName(other);
}

/** The prefix of names that were recorded for people at a forge. */
const AT_FORGE = /^(?:github|local):/;

/** Returns the name to record for a person at a forge: `github:ann`. */
export function personAt(forge: string, login: string): string {
  return `${forge}:${login}`;
}

/** Returns the other spelling with the forge prefix of the name. */
export function spelledAs(name: string, spelling: string): string {
  return `${AT_FORGE.exec(name)?.[0] ?? ''}${spelling}`;
}

/** Returns a name in the form used for comparison. Not toLowerCase: it maps the Kelvin sign to "k" and would merge two people. */
export function foldedName(name: string): string {
  return name.replace(AT_FORGE, '').replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
