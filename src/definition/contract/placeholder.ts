// Owns the detection of placeholder text: notes that work is unfinished, text that asks to be filled in, and the same line
// or words repeated.
//
// Quotations and code are ignored: a finding may be about such a note in the code.

import type { Json } from '../../base/json.ts';
import { shortText } from '../../base/short-text.ts';
import { ownLines, plainText, plainTitle, wordsOf } from './written-text.ts';

const LEAD = /^\s*(?:(?:[-*+]|\d+[.)])\s+)?(?:\[[ x]\]\s*)?(?:\|\s*)?(?:\*\*|__)?/i;
const LABEL = /^[\p{L}\p{N}][\p{L}\p{N} ()/-]{0,40}:\s*/u;

/** A placeholder, alone on its line or after a label. */
const PLACEHOLDER =
  /^(?:(?:to ?do|tbd|tba|fixme|xxx)\b.*|\.{3,}|…|lorem ipsum.*|(?:placeholder|coming soon|to be (?:done|determined|decided|defined|written|added|filled(?: in)?))\b.*|<(?:[^<>]*\b)?(?:fill|insert|your|describe|replace|to ?do|tbd|placeholder|write)\b[^<>]*>.*|\[(?:fill|insert|your|describe|replace|to ?do|tbd|placeholder|write)\b[^\]]*\].*)$/i;

/** Placeholders are short; a longer line is not matched against patterns. */
const LINE_MAX = 300;

/** Whether a line is only a placeholder. */
export function isPlaceholder(line: string): boolean {
  if (line.length > LINE_MAX) return false;
  const text = line
    .replace(LEAD, '')
    .replaceAll(/(?:\*\*|__|`)/g, '')
    .replace(/\|\s*$/, '')
    .trim();
  return text !== '' && (PLACEHOLDER.test(text) || PLACEHOLDER.test(text.replace(LABEL, '')) || /\blorem ipsum\b/i.test(text));
}

const REPEATED_MIN = 4;
const WORDS_MIN = 30;
const DIFFERENT_SHARE = 0.2;

/** The placeholders in a text, one message each. */
export function placeholderFaults(text: string): string[] {
  const lines = ownLines(text).filter((line) => line.trim() !== '');
  const held = lines.find(isPlaceholder);
  return [...(held === undefined ? [] : [`"${shortened(held)}" is a placeholder; write the content`]), ...repetitionFaults(lines)];
}

function repetitionFaults(lines: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const line of lines.map(plainText)) counts.set(line, (counts.get(line) ?? 0) + 1);
  const most = [...counts].sort((a, b) => b[1] - a[1])[0];
  if (most !== undefined && most[1] >= REPEATED_MIN && most[1] * 2 > lines.length)
    return [`the line "${shortened(most[0])}" is repeated ${most[1]} times; write real content`];
  const words = wordsOf(lines).map((word) => word.toLowerCase());
  if (words.length >= WORDS_MIN && new Set(words).size < words.length * DIFFERENT_SHARE)
    return [`the text is repetitive: ${new Set(words).size} distinct words out of ${words.length}; write real content`];
  return [];
}

/** The path of the first value that is a placeholder, or that only repeats its name. */
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
