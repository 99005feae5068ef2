// Makes untrusted text (of agents, people and files) inert in a comment or a check at the forge: it mentions no one, closes
// and links nothing, hides nothing, and does not break out of its table cell.

import { disarm } from '../../forge/outgoing-text.ts';
import { cleanLine } from '../../notify/clean-text.ts';

const GAP = '\u200B';
/** `#12` and `GH-12` would show up in the history of that issue. */
const REFERENCE = /(?<=#|\bGH-)(?=\d)/gi;
/** Forges turn addresses into links, even in text without markup. */
const ADDRESS = /(?<=:)(?=\/\/)|(?<=\bwww)(?=\.)/gi;
const MARKUP = /[\\`*_{}[\]<>#!|~&$]/g;

/** One line of inert text, where the forge renders Markdown. */
export function inertMarkdown(text: string, charactersMax: number): string {
  return inert(cleanLine(text, charactersMax)).replace(MARKUP, '\\$&');
}

/** One line of inert text, where the forge shows plain text. */
export function inertLine(text: string, charactersMax: number): string {
  return inert(cleanLine(text, charactersMax));
}

function inert(text: string): string {
  return disarm(text).replace(REFERENCE, GAP).replace(ADDRESS, GAP);
}

/** An id, a step or a command as inline code. Characters that these cannot have are removed. */
export function code(text: string): string {
  return `\`${text.replaceAll(/[^\w.:#/ -]/g, '')}\``;
}
