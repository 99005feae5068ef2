// Owns when two names mean the same person: compared case-insensitively for A to Z only, as forges do. Similar-looking
// letters are different. The groups of the settings name people as the forge does, so `github:ann`, who spoke there, is ann:
// whoever decides there and here has one voice.

/** Whether two names mean the same person. */
export function isSamePerson(one: string, other: string): boolean {
  return foldedName(one) === foldedName(other);
}

/** How the name of somebody begins who spoke at a forge. */
const AT_FORGE = /^(?:github|local):/;

/** The name to record for somebody who spoke at a forge: `github:ann`. */
export function personAt(forge: string, login: string): string {
  return `${forge}:${login}`;
}

/** Spells a name as another one does, and keeps where it was spoken. */
export function spelledAs(name: string, spelling: string): string {
  return `${AT_FORGE.exec(name)?.[0] ?? ''}${spelling}`;
}

/** Returns a name in the form used for comparison. Not toLowerCase: it maps the Kelvin sign to "k" and would merge two people. */
export function foldedName(name: string): string {
  return name.replace(AT_FORGE, '').replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
