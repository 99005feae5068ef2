// Disarms what a forge does when a text is posted. Text that may come from an agent mentions no one and closes
// nothing unless the workflow declares it; readers see no difference.
//
// O1. An "@" that could start a mention is followed by a zero-width space, also in code: we do not guess what a forge
// treats as code.
// O2. A closing keyword before a reference is broken by a zero-width space; the reference stays a link.
// O3. Character references that could spell either of them are broken too, and then show as written.
// O4. Declared mentions and references, and all other text, are unchanged byte for byte.

/** The allowed effects of a text: whom it may mention, and which issues of this repository it may close. */
export interface AllowedEffects {
  /** Names as they appear after the "@". */
  readonly mentions?: readonly string[];
  readonly closes?: readonly number[];
}

/** A zero-width space: it separates characters invisibly, also in code. */
export const GAP = '\u200B';
const SPELLED = /&(?=#|(?:commat|num|colon|nbsp|Tab|NewLine|sol|period);)/g;
const MENTION = /(?<![A-Za-z0-9])@(?=([^\s\u200B][A-Za-z0-9_/-]*))/g;
const KEYWORD = 'clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)|implement(?:s|ed|ing)?';
/** A lookahead with a back reference cannot backtrack, so matching takes linear time. */
const BETWEEN = '(?=(?<between>[^\\p{L}\\p{N}#]*))\\k<between>';
const REFERENCE = '(?:#(?<number>\\d+)|GH-\\d|[\\w.-]+/[\\w.-]+#\\d|https?://\\S{1,300}?/(?:issues|pull|merge_requests|work_items)/\\d)';
const CLOSING = new RegExp(`(?<![A-Za-z])(?:${KEYWORD})(?=${BETWEEN}${REFERENCE})`, 'giu');

/** Returns the text with everything disarmed that is not declared. */
export function disarm(text: string, declared: AllowedEffects = {}): string {
  const mayCall = new Set(declared.mentions);
  const mayClose = new Set(declared.closes?.map(String));
  return text
    .replace(SPELLED, `&${GAP}`)
    .replace(MENTION, (at, name: string) => (mayCall.has(name) ? at : `${at}${GAP}`))
    .replace(CLOSING, (word: string, ...found: unknown[]) => {
      const { number } = found.at(-1) as { readonly number?: string };
      return number !== undefined && mayClose.has(number) ? word : `${word.charAt(0)}${GAP}${word.slice(1)}`;
    });
}
