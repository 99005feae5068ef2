// Reads a Markdown document for a contract: its sections, words, list items and quotations. It is stricter than a
// parser: whatever looks like a heading outside a code block is one.
//
// The text comes from an agent and a line may be megabytes long, so no regular expression here may backtrack.

/** A section of a document: its heading and the lines below it, subsections included. */
export interface WrittenSection {
  readonly title: string;
  readonly lines: readonly string[];
}

/** A quotation with its source. */
export interface Quotation {
  readonly text: string;
  readonly path: string;
  /** The line of the document that names the source. */
  readonly line: number;
}

const FENCE = /^\s*(?:```|~~~)/;
const HEADING = /^(#{1,6})\s+(.*)$/s;

interface Line {
  readonly text: string;
  readonly isCode: boolean;
}

/** The lines of a text without fences, each marked if it is inside a code block. */
function linesOf(text: string): Line[] {
  let isCode = false;
  return text.split(/\r\n|\r|\n/).flatMap((line) => {
    if (!FENCE.test(line)) return [{ text: line, isCode }];
    isCode = !isCode;
    return [];
  });
}

/** The lines that are the author's own words: no code, no quotations, no headings. */
export function ownLines(text: string): string[] {
  return linesOf(text).flatMap((line) => (line.isCode || /^\s*>/.test(line.text) || HEADING.test(line.text) ? [] : [line.text]));
}

/** The sections of a document, in order. */
export function sectionsOf(text: string): WrittenSection[] {
  const lines = linesOf(text);
  const headings = lines.flatMap(({ text: line, isCode }, index) => {
    const [, marks, title] = isCode ? [] : (HEADING.exec(line) ?? []);
    return marks === undefined || title === undefined ? [] : [{ index, level: marks.length, title: withoutClosingMarks(title) }];
  });
  return headings.map(({ index, level, title }, at) => {
    const end = headings.slice(at + 1).find((next) => next.level <= level)?.index ?? lines.length;
    return { title, lines: lines.slice(index + 1, end).map(({ text: line }) => line) };
  });
}

/** A heading may end with `#` marks, which are not part of its title. */
function withoutClosingMarks(title: string): string {
  const text = title.trimEnd();
  let end = text.length;
  while (text[end - 1] === '#') end -= 1;
  return text.slice(0, end).trimEnd();
}

/** Whether a heading has the given title: numbers before it and punctuation around it are ignored. */
export function isTitled(heading: string, title: string): boolean {
  return plainTitle(heading) === plainTitle(title);
}

/** A heading normalised for comparison. */
export function plainTitle(title: string): string {
  return title
    .toLowerCase()
    .replace(/^\s*\d[\d.)]*\s+/, '')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** A text without invisible characters (zero-width spaces and joiners, direction marks). */
export function visibleText(text: string): string {
  return text.replaceAll(/\p{Cf}/gu, '');
}

/** The words of lines: runs of letters or digits. */
export function wordsOf(lines: readonly string[]): string[] {
  return lines.join('\n').match(/[\p{L}\p{N}][\p{L}\p{N}'’_-]*/gu) ?? [];
}

const ITEM = /^\s*(?:[-*+]|\d+[.)])\s+(.*)$/s;
const ROW = /^\s*\|(.*)\|\s*$/;
const RULE = /^[\s|:-]+$/;

/** The distinct list items and table rows among lines, without table headers. */
export function itemsIn(lines: readonly string[]): string[] {
  const found = lines.flatMap((line, index) => {
    const item = ITEM.exec(line)?.[1];
    if (item !== undefined) return [item];
    const row = ROW.exec(line)?.[1];
    const isHead = RULE.test(lines[index + 1] ?? '') && (lines[index + 1] ?? '').includes('-');
    return row === undefined || RULE.test(row) || isHead ? [] : [row];
  });
  return [...new Set(found.map((item) => plainText(item)).filter((item) => item !== ''))];
}

/** A text normalised for comparison: white space and case are ignored. */
export function plainText(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim().toLowerCase();
}

const SOURCE = /^(?:—|–|--?)\s*`?([^\s`]+?):\d+(?:-\d+)?`?\s*$/;

/** The block quotes that name a file and a line as their source. */
export function quotationsIn(text: string): Quotation[] {
  const found: Quotation[] = [];
  let held: string[] = [];
  text.split(/\r\n|\r|\n/).forEach((line, index) => {
    const inside = /^\s*>\s?(.*)$/.exec(line)?.[1];
    if (inside === undefined) {
      held = [];
      return;
    }
    const path = SOURCE.exec(inside.trim())?.[1];
    if (path === undefined) held.push(inside);
    else {
      found.push({ text: held.filter((one) => !FENCE.test(one)).join('\n'), path, line: index + 1 });
      held = [];
    }
  });
  return found;
}
