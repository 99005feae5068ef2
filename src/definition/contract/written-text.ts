// Owns how a Markdown document is read for a contract: its sections, words, list items and quotations. It is the reading
// of a stern person, not of a parser: whatever looks like a heading outside a code block is one.
//
// The text comes from an agent and a line may be megabytes long, so no expression here may try a line in more than one way.

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

/** The lines of a text, each told whether it is inside a code block; the fences are left out. */
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

/** A heading may end with as many marks as it begins with, which are no part of its title. */
function withoutClosingMarks(title: string): string {
  const text = title.trimEnd();
  let end = text.length;
  while (text[end - 1] === '#') end -= 1;
  return text.slice(0, end).trimEnd();
}

/** Whether a heading is the one that is asked for: numbers before it and punctuation around it do not matter. */
export function isTitled(heading: string, title: string): boolean {
  return plainTitle(heading) === plainTitle(title);
}

/** A heading as it is compared. */
export function plainTitle(title: string): string {
  return title
    .toLowerCase()
    .replace(/^\s*\d[\d.)]*\s+/, '')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** A text without the signs that nobody sees (zero-width spaces and joiners, marks of direction): they are no words and hide none. */
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

/** The list items and table rows among lines, each different one once. The head of a table is none. */
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

/** A text in which only its words count: white space and case do not. */
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
