// Owns how text that only looks like work is told from work: notes that something is still to be done, text that asks to be
// filled in, the same line or the same words over and over.
//
// Quotations and code are not looked at: a finding may be about such a note in the code.

import type { Json } from '../../base/json.ts';
import { shortText } from '../../base/short-text.ts';
import { ownLines, plainText, plainTitle, wordsOf } from './written-text.ts';

const LEAD = /^\s*(?:(?:[-*+]|\d+[.)])\s+)?(?:\[[ x]\]\s*)?(?:\|\s*)?(?:\*\*|__)?/i;
const LABEL = /^[\p{L}\p{N}][\p{L}\p{N} ()/-]{0,40}:\s*/u;

/** What stands where the work should: alone on its line or behind a label. */
const STANDS_FOR =
  /^(?:(?:to ?do|tbd|tba|fixme|xxx)\b.*|\.{3,}|…|lorem ipsum.*|(?:placeholder|coming soon|to be (?:done|determined|decided|defined|written|added|filled(?: in)?))\b.*|<(?:[^<>]*\b)?(?:fill|insert|your|describe|replace|to ?do|tbd|placeholder|write)\b[^<>]*>.*|\[(?:fill|insert|your|describe|replace|to ?do|tbd|placeholder|write)\b[^\]]*\].*)$/i;

/** What holds a place is short; a longer line is not tried against patterns. */
const LINE_MAX = 300;

/** Whether a line only holds the place of something. */
export function isPlaceholder(line: string): boolean {
  if (line.length > LINE_MAX) return false;
  const text = line
    .replace(LEAD, '')
    .replaceAll(/(?:\*\*|__|`)/g, '')
    .replace(/\|\s*$/, '')
    .trim();
  return text !== '' && (STANDS_FOR.test(text) || STANDS_FOR.test(text.replace(LABEL, '')) || /\blorem ipsum\b/i.test(text));
}

const REPEATED_MIN = 4;
const WORDS_MIN = 30;
const DIFFERENT_SHARE = 0.2;

/** What in a text only holds the place of work; one message each. */
export function placeholderFaults(text: string): string[] {
  const lines = ownLines(text).filter((line) => line.trim() !== '');
  const held = lines.find(isPlaceholder);
  return [
    ...(held === undefined ? [] : [`it has a placeholder: "${shortened(held)}"; write what belongs there`]),
    ...repetitionFaults(lines),
  ];
}

function repetitionFaults(lines: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const line of lines.map(plainText)) counts.set(line, (counts.get(line) ?? 0) + 1);
  const most = [...counts].sort((a, b) => b[1] - a[1])[0];
  if (most !== undefined && most[1] >= REPEATED_MIN && most[1] * 2 > lines.length)
    return [`it repeats the line "${shortened(most[0])}" ${most[1]} times`];
  const words = wordsOf(lines).map((word) => word.toLowerCase());
  if (words.length >= WORDS_MIN && new Set(words).size < words.length * DIFFERENT_SHARE)
    return [`it says the same few words over and over: ${new Set(words).size} different ones of ${words.length}`];
  return [];
}

/** Where a value holds the place of something instead of saying it, or only repeats its name: the path of the first one. */
export function placeholderIn(value: Json, at: string, name = ''): string | undefined {
  if (typeof value === 'string') return isPlaceholder(value) || (name !== '' && plainTitle(value) === plainTitle(name)) ? at : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const found = placeholderIn(inner as Json, Array.isArray(value) ? `${at}[${key}]` : `${at}.${key}`, Array.isArray(value) ? '' : key);
    if (found !== undefined) return found;
  }
  return undefined;
}

const SHOWN_MAX = 60;

function shortened(line: string): string {
  return shortText(line.trim(), SHOWN_MAX);
}
