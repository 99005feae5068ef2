// Owns places in Markdown whose text a renderer does not show: definitions of links and footnotes, titles of links, words behind
// the language of a code block, blocks that are drawn, and cells beyond the columns of a table. Each is broken, so that a reader
// sees what is in it. All of it takes time in proportion to the length of the text.

const GAP = '\u200B';
/** What containers put before a line: quotations, lists and tasks. */
const CONTAINERS = '[ \\t>*+\\-\\d.)]*(?:\\[[ xX]\\][ \\t]+)?';
const DEFINITION = new RegExp(`^(${CONTAINERS}\\[(?:[^[\\]\\\\]|\\\\[^]){1,999}\\])(?=:)`, 'gm');
const FENCE = new RegExp(`^(${CONTAINERS}(?:\`{3,}|~{3,})[ \\t]*)([^\\s\`]*)[ \\t]*(.*)$`, 'gm');
const LANGUAGE = /^[\w+#.-]{0,20}$/;
/** Languages of blocks that GitHub draws. */
const DRAWN = /^(?:mermaid|math|geojson|topojson|stl)$/i;
const DELIMITER = /^[ \t>]*\|?(?:[ \t]*:?-+:?[ \t]*\|)*[ \t]*:?-+:?[ \t]*\|?[ \t]*$/;
const DESTINATION_MAX = 2000;

/** Shows definitions of links and footnotes as text: `[x]: # (words)` is nowhere to be seen otherwise. */
export function showDefinitions(text: string): string {
  return text.replace(DEFINITION, `$1${GAP}`);
}

/** Shows what is behind the language of a code block as its first line, and blocks that are drawn as code. */
export function showFences(text: string): string {
  return text.replace(FENCE, (...found: string[]) => {
    const [whole = '', fence = '', language = '', rest = ''] = found;
    // Backticks behind backticks are code within a line.
    if (fence.includes('`') && rest.includes('`')) return whole;
    const shown = DRAWN.test(language) ? `${language.slice(0, 1)}${GAP}${language.slice(1)}` : language;
    if (!LANGUAGE.test(language)) return `${fence}\n${whole.slice(fence.length)}`;
    return rest === '' ? `${fence}${shown}` : `${fence}${shown}\n${rest}`;
  });
}

/** Shows tables as text in which some row has more cells than there are columns: those are left out. */
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

/** Cells of a row; one that is escaped counts too, since renderers differ. */
function cellsIn(line: string): number {
  const inner = line.replace(/^[ \t>]*\|?/, '').replace(/\|[ \t]*$/, '');
  return inner.split('|').length;
}

/** A link as it is written. */
export interface WrittenLink {
  readonly destination: string;
  readonly from: number;
  /** Whether there are words behind it that only show on hovering: a title, or a destination with spaces. */
  readonly hasTitle: boolean;
}

/** Changes what is behind each `](`: `change` says what a link becomes, from its bracket to its destination. */
export function changeLinks(text: string, change: (link: WrittenLink) => 'keep' | 'break' | 'bend'): string {
  const parts: string[] = [];
  let done = 0;
  for (let at = text.indexOf(']('); at !== -1; at = text.indexOf('](', at + 1)) {
    const link = linkAt(text, at + 2);
    const how = change(link);
    if (how === 'keep') continue;
    const cut = how === 'break' ? at + 1 : link.from;
    parts.push(text.slice(done, cut), GAP);
    done = cut;
  }
  return [...parts, text.slice(done)].join('');
}

function linkAt(text: string, at: number): WrittenLink {
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
    const sign = text[end] as string;
    if (/\s/.test(sign) || (sign === ')' && depth === 0)) return end;
    if (sign === '\\') end += 1;
    else if (sign === '(') depth += 1;
    else if (sign === ')') depth -= 1;
  }
  return Math.min(text.length, from + DESTINATION_MAX);
}
