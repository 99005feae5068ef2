// Owns cleaning a text that an agent wants to write at a forge. Readers see everything that is in it, and nothing in it
// has an effect: it mentions nobody, closes nothing, loads nothing, links nowhere else, and commands no program.
//
// CT1. Invisible characters are removed: zero-width, direction marks, tags, control characters. Joiners inside emoji stay.
// CT2. HTML, comments included, is shown as text, so nothing is hidden in it, nor elsewhere (`hidden-text.ts`). An image is a
//      link.
// CT3. A link leads to the repository itself or to an allowed host; any other is text, also one by a path that leaves the
//      repository. So is a reference to an issue or a commit of another repository, which would show up there.
// CT4. A line that begins like a command ("/pawl approve", "/merge") is none, and neither is "workflow:NAME".
// CT5. Mentions and closing keywords are disarmed (`outgoing-text.ts`).
// CT6. A text that is too long is cut, and says so. Cleaning takes linear time.
//
// To disarm a text, a zero-width space is inserted: it reads the same, also in code.

import { changeLinks, showDefinitions, showFences, showTables, type WrittenLink } from './hidden-text.ts';
import { disarm } from './outgoing-text.ts';

/** What a text may contain. */
export interface CleaningRules {
  /** The web address of the repository; links to it stay. */
  readonly home?: string | undefined;
  /** Hosts whose links stay, as `docs.example.com`. */
  readonly hosts?: readonly string[] | undefined;
}

/** A text that can be posted, and what was changed, in words. */
export interface CleanedText {
  readonly text: string;
  readonly changes: readonly string[];
}

/** The longest text of a comment, a review or a description; cleaning can double it, and GitHub takes 65,536. */
export const BODY_MAX = 30_000;
/** The longest title. */
export const TITLE_MAX = 200;

const GAP = '\u200B';
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{Cc}\u2028\u2029\uFFF9-\uFFFB]/gu;
const JOINABLE = /(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\uFE0F)$/u;
const STYLED = /[\p{Extended_Pictographic}#*0-9]$/u;
const PICTURE = /^\p{Extended_Pictographic}/u;
const TAG = /<(?!https?:\/\/)(?=[A-Za-z/!?])/gi;
const IMAGE = /!(?=\[)/g;
const ENTITY = /&(?=#|[a-z][a-z0-9]{1,31};)(?!(?:amp|lt|gt|quot|apos);)/gi;
const ADDRESS = /[a-z][a-z0-9+.-]{0,20}\\*:(?:\\*\/){2}[^\s<>"'`)\]]{0,2000}|(?<![A-Za-z0-9])www\.(?=\S)/gi;
const FOREIGN_REFERENCE = /(?<![\w./-])([\w.-]{1,100}\/[\w.-]{1,100})(?=#\d|@[0-9a-f]{7})/gi;
const COMMAND = /^([\s>*+\-\d.)]{0,40}\/)(?=[a-z])/gim;
const OWN_COMMAND = /\/(?=pawl)/gi;
const START = /\bworkflow(?=:\S)/gi;

/** Cleans the text of a comment, a review or a description. */
export function cleanText(given: string, rules: CleaningRules = {}): CleanedText {
  return clean(given, rules, BODY_MAX);
}

/** Cleans a title, which is one line. */
export function cleanTitle(given: string, rules: CleaningRules = {}): CleanedText {
  const { text, changes } = clean(given.replace(/\s+/g, ' ').trim(), rules, TITLE_MAX);
  return { text: text.replace(/\s+/g, ' ').trim(), changes };
}

function clean(given: string, rules: CleaningRules, max: number): CleanedText {
  const counts = new Map<string, number>();
  const note = (what: string): void => void counts.set(what, (counts.get(what) ?? 0) + 1);
  const gap = (pattern: RegExp, what: string, text: string): string =>
    text.replace(pattern, (found) => {
      note(what);
      return `${found}${GAP}`;
    });
  let text = withoutUnseen(given.toWellFormed().replace(/\r\n?/g, '\n'), () => note('characters that nobody sees were removed'));
  const cut = text.length - max;
  if (cut > 0) text = `${text.slice(0, max).toWellFormed()}…`;
  text = gap(TAG, 'HTML tags or comments are shown as text', text);
  text = gap(IMAGE, 'images became links', text);
  text = text.replace(ENTITY, `&${GAP}`);
  const change = (pattern: RegExp, what: string, to: (found: string) => string): string =>
    text.replace(pattern, (found) => {
      const changed = to(found);
      if (changed !== found) note(what);
      return changed;
    });
  const shown = (show: (given: string) => string, what: string): string => {
    const changed = show(text);
    if (changed !== text) note(what);
    return changed;
  };
  text = shown((given) => showTables(showDefinitions(showFences(given))), HIDDEN);
  text = change(ADDRESS, LINKS, (found) => (isAllowed(found, rules) ? found : asText(found)));
  text = shown(
    (given) => changeLinks(given, (link) => (link.hasTitle || climbs(link) ? 'break' : leadsAway(link, rules) ? 'bend' : 'keep')),
    LINKS,
  );
  text = change(FOREIGN_REFERENCE, 'references to other repositories are text', (found) =>
    isHome(found, rules) ? found : `${found}${GAP}`,
  );
  text = gap(COMMAND, COMMANDS, text);
  text = gap(OWN_COMMAND, COMMANDS, text);
  text = gap(START, COMMANDS, text);
  const safe = disarm(text);
  const disarmed = gapsIn(safe) - gapsIn(text);
  if (disarmed > 0) counts.set('mentions or closing keywords were disarmed', disarmed);
  const changes = [...counts].map(([what, count]) => `${what} (${count})`);
  return { text: safe, changes: cut > 0 ? [...changes, `${cut} characters beyond ${max} were cut`] : changes };
}

const LINKS = 'links to other places are text';
const HIDDEN = 'what a renderer would not show is shown';
const COMMANDS = 'commands were disarmed';

function withoutUnseen(text: string, removed: () => void): string {
  return text.replace(UNSEEN, (sign, at: number) => {
    if (sign === '\n' || sign === '\t') return sign;
    const before = text.slice(Math.max(at - 2, 0), at);
    if (sign === '\uFE0F' && STYLED.test(before)) return sign;
    if (sign === '\u200D' && JOINABLE.test(before) && PICTURE.test(text.slice(at + 1, at + 3))) return sign;
    removed();
    return '';
  });
}

function isAllowed(address: string, { home, hosts = [] }: CleaningRules): boolean {
  const url = URL.parse(address);
  if (url === null || address.includes('\\') || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return false;
  if (hosts.includes(url.hostname)) return true;
  const own = home === undefined ? null : URL.parse(home);
  return own !== null && url.host === own.host && `${url.pathname}/`.toLowerCase().startsWith(`${own.pathname.toLowerCase()}/`);
}

/** An address that no renderer makes a link of. */
function asText(address: string): string {
  return /^www/i.test(address) ? `${address.slice(0, 3)}${GAP}${address.slice(3)}` : address.replace(/:(?=\\*\/)/g, `:${GAP}`);
}

/** Whether the destination of a link is another place although it is no plain address: `//host`, `https:host`, `/other/repository`. */
function leadsAway({ destination }: WrittenLink, { home }: CleaningRules): boolean {
  const own = home === undefined ? null : URL.parse(home);
  return readings(destination).some((plain) => {
    if (plain.startsWith('//')) return true;
    if (plain.startsWith('/')) return own === null || !isAllowed(`${own.origin}${plain}`, { home });
    return /^[a-z][a-z0-9+.-]*\/*:/i.test(plain) && !/^[a-z][a-z0-9+.-]*:\/\//i.test(destination.replace(GAP, ''));
  });
}

/** Whether a path leaves the repository: what it is relative to differs by page, so one step up is all that is allowed. */
function climbs({ destination }: WrittenLink): boolean {
  return readings(destination).some((plain) => plain.split('/').filter((part) => part === '..').length > 1);
}

/** A destination as renderers and browsers may read it: a backslash escapes a sign, or is a slash. */
function readings(destination: string): string[] {
  const plain = destination.replace(/%2e/gi, '.');
  return [plain.replace(/[\\\t]/g, '/'), plain.replace(/\\(?=[!-/:-@[-`{-~])/g, '')];
}

function isHome(reference: string, { home }: CleaningRules): boolean {
  return home?.toLowerCase().endsWith(`/${reference.toLowerCase()}`) === true;
}

function gapsIn(text: string): number {
  return text.split(GAP).length - 1;
}
