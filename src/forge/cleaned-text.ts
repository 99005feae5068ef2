// Cleans a text that an agent wants to write at a forge. Readers see all of the text, and nothing in it has an
// effect: it mentions no one, closes nothing, loads nothing, links to no other site, and commands no program.
//
// CT1. Invisible characters are removed: zero-width, direction marks, tags, control characters. Joiners inside emoji stay.
// CT2. HTML, comments included, and other hidden text (`hidden-text.ts`) is shown as text. An image becomes a link.
// CT3. Links to the repository itself and to allowed hosts stay links. All other links become text, including paths that leave
//      the repository, and references to issues or commits of other repositories, which would be shown there.
// CT4. A line that begins like a command ("/pawl approve", "/merge") triggers nothing, and neither does "workflow:NAME".
// CT5. Mentions and closing keywords are disarmed (`outgoing-text.ts`).
// CT6. A text that is too long is cut, and the list of changes says so. Cleaning takes linear time.

import { changeLinks, type MarkdownLink, showDefinitions, showFences, showTables } from './hidden-text.ts';
import { disarm, GAP } from './outgoing-text.ts';

/** Which links a text may contain. */
export interface CleaningRules {
  /** The web address of the repository; links to it stay. */
  readonly repositoryUrl?: string | undefined;
  /** Hosts whose links stay, as `docs.example.com`. */
  readonly hosts?: readonly string[] | undefined;
}

/** A text that can be posted, and a description of each change. */
export interface CleanedText {
  readonly text: string;
  readonly changes: readonly string[];
}

/** The longest text of a comment, a review or a description. Cleaning can double it, and GitHub accepts 65,536 characters. */
export const BODY_MAX = 30_000;
/** The longest title. */
export const TITLE_MAX = 200;

const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cc}\u2028\u2029\uFFF9-\uFFFB]/gu;
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
export function cleanText(raw: string, rules: CleaningRules = {}): CleanedText {
  return clean(raw, rules, BODY_MAX);
}

/** Cleans a title, which is one line. */
export function cleanTitle(raw: string, rules: CleaningRules = {}): CleanedText {
  const { text, changes } = clean(raw.replace(/\s+/g, ' ').trim(), rules, TITLE_MAX);
  return { text: text.replace(/\s+/g, ' ').trim(), changes };
}

function clean(raw: string, rules: CleaningRules, max: number): CleanedText {
  const counts = new Map<string, number>();
  const note = (label: string): void => void counts.set(label, (counts.get(label) ?? 0) + 1);
  let text = withoutInvisible(raw.toWellFormed().replace(/\r\n?/g, '\n'), () => note('invisible characters were removed'));
  const cut = text.length - max;
  if (cut > 0) text = `${text.slice(0, max).toWellFormed()}…`;
  const noted = (label: string, before: string, after: string): string => {
    if (after !== before) note(label);
    return after;
  };
  const change = (pattern: RegExp, label: string, to = (found: string): string => `${found}${GAP}`): void => {
    text = text.replace(pattern, (found) => noted(label, found, to(found)));
  };
  change(TAG, 'HTML tags or comments are shown as text');
  change(IMAGE, 'images became links');
  text = text.replace(ENTITY, `&${GAP}`);
  text = noted('hidden text was made visible', text, showTables(showDefinitions(showFences(text))));
  change(ADDRESS, LINKS, (found) => (isAllowed(found, rules) ? found : asText(found)));
  const choose = (link: MarkdownLink) =>
    link.hasTitle || leavesByPath(link) ? 'show' : leavesByAddress(link, rules) ? 'invalidate' : 'keep';
  text = noted(LINKS, text, changeLinks(text, choose));
  change(FOREIGN_REFERENCE, 'references to other repositories became text', (found) =>
    isThisRepository(found, rules) ? found : `${found}${GAP}`,
  );
  for (const pattern of [COMMAND, OWN_COMMAND, START]) change(pattern, 'commands were disarmed');
  const safe = disarm(text);
  const disarmed = gapsIn(safe) - gapsIn(text);
  if (disarmed > 0) counts.set('mentions or closing keywords were disarmed', disarmed);
  const changes = [...counts].map(([label, count]) => `${label} (${count})`);
  return { text: safe, changes: cut > 0 ? [...changes, `${cut} characters beyond ${max} were cut`] : changes };
}

const LINKS = 'links to other sites became text';

function withoutInvisible(text: string, removed: () => void): string {
  return text.replace(INVISIBLE, (character, at: number) => {
    if (character === '\n' || character === '\t') return character;
    const before = text.slice(Math.max(at - 2, 0), at);
    if (character === '\uFE0F' && STYLED.test(before)) return character;
    if (character === '\u200D' && JOINABLE.test(before) && PICTURE.test(text.slice(at + 1, at + 3))) return character;
    removed();
    return '';
  });
}

function isAllowed(address: string, { repositoryUrl, hosts = [] }: CleaningRules): boolean {
  const url = URL.parse(address);
  if (url === null || address.includes('\\') || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return false;
  if (hosts.includes(url.hostname)) return true;
  const own = repositoryUrl === undefined ? null : URL.parse(repositoryUrl);
  return own !== null && url.host === own.host && `${url.pathname}/`.toLowerCase().startsWith(`${own.pathname.toLowerCase()}/`);
}

/** Changes an address so that no renderer turns it into a link. */
function asText(address: string): string {
  return /^www/i.test(address) ? `${address.slice(0, 3)}${GAP}${address.slice(3)}` : address.replace(/:(?=\\*\/)/g, `:${GAP}`);
}

/** Whether a link leaves the repository without a plain address: `//host`, `https:host`, `/other/repository`. */
function leavesByAddress({ destination }: MarkdownLink, { repositoryUrl }: CleaningRules): boolean {
  const own = repositoryUrl === undefined ? null : URL.parse(repositoryUrl);
  return interpretations(destination).some((plain) => {
    if (plain.startsWith('//')) return true;
    if (plain.startsWith('/')) return own === null || !isAllowed(`${own.origin}${plain}`, { repositoryUrl });
    return /^[a-z][a-z0-9+.-]*\/*:/i.test(plain) && !/^[a-z][a-z0-9+.-]*:\/\//i.test(destination.replace(GAP, ''));
  });
}

/** Whether a path may leave the repository. Its base differs between pages, so only one step up is allowed. */
function leavesByPath({ destination }: MarkdownLink): boolean {
  return interpretations(destination).some((plain) => plain.split('/').filter((part) => part === '..').length > 1);
}

/** How renderers and browsers may read a destination: a backslash is an escape or a slash. */
function interpretations(destination: string): string[] {
  const plain = destination.replace(/%2e/gi, '.');
  return [plain.replace(/[\\\t]/g, '/'), plain.replace(/\\(?=[!-/:-@[-`{-~])/g, '')];
}

function isThisRepository(reference: string, { repositoryUrl }: CleaningRules): boolean {
  return repositoryUrl?.toLowerCase().endsWith(`/${reference.toLowerCase()}`) === true;
}

function gapsIn(text: string): number {
  return text.split(GAP).length - 1;
}
