// Owns what text may cause at a forge just by being posted. Text that an agent had a hand in calls nobody and closes
// nothing unless the workflow declares it; to a reader it looks the same.
//
// O1. An "@" that could begin a mention is followed by a zero-width space, in code as well: what a forge takes for code
//     is not ours to guess.
// O2. A closing keyword before a reference is broken by a zero-width space; the reference stays a link.
// O3. Character references that could spell either of them are broken too, and then show as they were written.
// O4. What is declared stays as it is, byte for byte; so does all other text.

/** What a text may do: whom it may call, and which issues of this repository it may close. */
export interface Declared {
  /** Names as they stand after the "@". */
  readonly mentions?: readonly string[];
  readonly closes?: readonly number[];
}

const GAP = '\u200B';
const SPELLED = /&(?=#|(?:commat|num|colon|nbsp|Tab|NewLine|sol|period);)/g;
const MENTION = /(?<![A-Za-z0-9])@(?=([^\s\u200B][A-Za-z0-9_/-]*))/g;
const KEYWORD = 'clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)|implement(?:s|ed|ing)?';
const BETWEEN = '[^\\p{L}\\p{N}#]{0,40}';
const REFERENCE = '(?:#(\\d+)|GH-\\d|[\\w.-]+/[\\w.-]+#\\d|https?://\\S{1,300}?/(?:issues|pull|merge_requests|work_items)/\\d)';
const CLOSING = new RegExp(`(?<![A-Za-z0-9])(?:${KEYWORD})(?=${BETWEEN}${REFERENCE})`, 'giu');

/** The text with everything disarmed that is not declared. */
export function disarm(text: string, declared: Declared = {}): string {
  const mayCall = new Set(declared.mentions);
  const mayClose = new Set(declared.closes?.map(String));
  return text
    .replace(SPELLED, `&${GAP}`)
    .replace(MENTION, (at, name: string) => (mayCall.has(name) ? at : `${at}${GAP}`))
    .replace(CLOSING, (word, number?: string) =>
      number !== undefined && mayClose.has(number) ? word : `${word.charAt(0)}${GAP}${word.slice(1)}`,
    );
}
