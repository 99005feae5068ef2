// Cleans text of agents, people and files for a comment or a check at the forge. It stays text: it mentions nobody, closes
// and links nothing, hides nothing, and does not break out of its table cell.

import { disarm } from '../../forge/outgoing-text.ts';
import { cleanLine } from '../../notify/clean-text.ts';

const GAP = '\u200B';
/** `#12` and `GH-12` would appear in the history of that issue. */
const REFERENCE = /(?<=#|\bGH-)(?=\d)/gi;
/** Forges turn addresses into links also where there is no markup. */
const ADDRESS = /(?<=:)(?=\/\/)|(?<=\bwww)(?=\.)/gi;
const MARKUP = /[\\`*_{}[\]<>#!|~&$]/g;

/** One line of text without any effect, for a place where the forge reads Markdown. */
export function outsideText(text: string, charactersMax: number): string {
  return inert(cleanLine(text, charactersMax)).replace(MARKUP, '\\$&');
}

/** The same for a place that shows text as it is. */
export function outsideLine(text: string, charactersMax: number): string {
  return inert(cleanLine(text, charactersMax));
}

function inert(text: string): string {
  return disarm(text).replace(REFERENCE, GAP).replace(ADDRESS, GAP);
}

/** A word of ours in code: ids, names of steps and commands. Whatever cannot be in one is left out. */
export function code(text: string): string {
  return `\`${text.replaceAll(/[^\w.:#/ -]/g, '')}\``;
}
