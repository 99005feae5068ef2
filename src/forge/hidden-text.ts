// Owns places in Markdown whose text a renderer does not show: definitions of links and footnotes, titles of links, words behind
// the language of a code block, diagrams, and cells beyond the columns of a table. Their syntax is broken, so that a reader
// sees the text. Takes linear time.

import { GAP } from './outgoing-text.ts';

/** What quotations, lists and tasks put before a line. */
const CONTAINERS = '[ \\t>*+\\-\\d.)]*(?:\\[[ xX]\\][ \\t]+)?';
const DEFINITION = new RegExp(`^(${CONTAINERS}\\[(?:[^[\\]\\\\]|\\\\[^]){1,999}\\])(?=:)`, 'gm');
const FENCE = new RegExp(`^(${CONTAINERS}(?:\`{3,}|~{3,})[ \\t]*)([^\\s\`]*)[ \\t]*(.*)$`, 'gm');
const LANGUAGE = /^[\w+#.-]{0,20}$/;
/** Languages of blocks that GitHub renders as diagrams. */
const RENDERED = /^(?:mermaid|math|geojson|topojson|stl)$/i;
const DELIMITER = /^[ \t>]*\|?(?:[ \t]*:?-+:?[ \t]*\|)*[ \t]*:?-+:?[ \t]*\|?[ \t]*$/;
const DESTINATION_MAX = 2000;

/** Shows definitions of links and footnotes as text, because `[x]: # (words)` is not rendered. */
export function showDefinitions(text: string): string {
  return text.replace(DEFINITION, `$1${GAP}`);
}

/** Shows the words behind the language of a code block as its first line, and diagrams as code. */
export function showFences(text: string): string {
  return text.replace(FENCE, (...found: string[]) => {
    const [whole = '', fence = '', language = '', rest = ''] = found;
    // Backticks on both sides are inline code.
    if (fence.includes('`') && rest.includes('`')) return whole;
    const shown = RENDERED.test(language) ? `${language.slice(0, 1)}${GAP}${language.slice(1)}` : language;
    if (!LANGUAGE.test(language)) return `${fence}\n${whole.slice(fence.length)}`;
    return rest === '' ? `${fence}${shown}` : `${fence}${shown}\n${rest}`;
  });
}

/** Shows a table as text if a row has more cells than the table has columns, because those cells are not rendered. */
export function showTables(text: string): string {
  const lines = text.split('\n');
  let most = 0;
  for (let at = lines.length - 1; at > 0; at -= 1) {
    const line = lines[at] as string;
    const cells = cellsIn(line);
    if (line.trim() === '') most = 0;
    else {
      const isDelimiter = /[|:]/.test(line) && DELIMITER.test(line) && cellsIn(lines[at - 1] as string) === cells;
      if (isDelimiter && most > cells) lines[at] = line.replace('-', `-${GAP}`);
      most = Math.max(most, cells);
    }
  }
  return lines.join('\n');
}

/** Counts the cells of a row. An escaped bar counts too, since renderers differ. */
function cellsIn(line: string): number {
  const inner = line.replace(/^[ \t>]*\|?/, '').replace(/\|[ \t]*$/, '');
  return inner.split('|').length;
}

/** A link in Markdown. */
export interface MarkdownLink {
  readonly destination: string;
  readonly from: number;
  /** Whether it has words that only show on hovering: a title, or a destination with spaces. */
  readonly hasTitle: boolean;
}

/** Keeps each link, shows it as text, or makes its destination invalid, as `choose` returns. */
export function changeLinks(text: string, choose: (link: MarkdownLink) => 'keep' | 'show' | 'invalidate'): string {
  const parts: string[] = [];
  let done = 0;
  for (let at = text.indexOf(']('); at !== -1; at = text.indexOf('](', at + 1)) {
    const link = linkAt(text, at + 2);
    const choice = choose(link);
    if (choice === 'keep') continue;
    const cut = choice === 'show' ? at + 1 : link.from;
    parts.push(text.slice(done, cut), GAP);
    done = cut;
  }
  return [...parts, text.slice(done)].join('');
}

function linkAt(text: string, at: number): MarkdownLink {
  const start = afterSpace(text, at);
  const isAngled = text[start] === '<';
  const from = isAngled ? start + 1 : start;
  const end = isAngled ? angledEnd(text, from) : plainEnd(text, from);
  const next = text[afterSpace(text, isAngled ? end + 1 : end)] ?? '';
  const destination = text.slice(from, end);
  return { destination, from, hasTitle: /^["'(]/.test(next) || /^["'(]|\s/.test(destination) };
}

function afterSpace(text: string, at: number): number {
  let end = at;
  while (/\s/.test(text[end] ?? '')) end += 1;
  return end;
}

function angledEnd(text: string, from: number): number {
  const end = text.slice(from, from + DESTINATION_MAX).search(/[>\n]/);
  return end === -1 ? Math.min(text.length, from + DESTINATION_MAX) : from + end;
}

function plainEnd(text: string, from: number): number {
  let depth = 0;
  for (let end = from; end < text.length && end - from < DESTINATION_MAX; end += 1) {
    const character = text.charAt(end);
    if (/\s/.test(character) || (character === ')' && depth === 0)) return end;
    if (character === '\\') end += 1;
    else if (character === '(') depth += 1;
    else if (character === ')') depth -= 1;
  }
  return Math.min(text.length, from + DESTINATION_MAX);
}
