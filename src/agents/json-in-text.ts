// Finds JSON objects in an agent's output: an object starts at the beginning of a line and ends at its closing
// brace. Braces inside strings do not count, and the search stays linear however long the output is.

import { omitUndefined } from '../base/fields.ts';
import { type Json, parseJson } from '../base/json.ts';

/** A possible object in a text. `value` is absent when it does not parse; `end` is undefined when no brace closes it. */
interface JsonMatch {
  readonly start: number;
  readonly end: number | undefined;
  readonly value?: Json;
}

/** How often the whole text may be scanned for the end of objects that do not close or parse. */
const SCANS_MAX = 20;

/** Every object at the beginning of a line, in order. Objects nested in one that parses are not listed. */
export function findJsonObjects(text: string): JsonMatch[] {
  const found: JsonMatch[] = [];
  // Objects that do not close or parse may lie within each other, and each is scanned again to its end.
  let scansLeft = SCANS_MAX * text.length;
  let at = lineWithBrace(text, 0);
  while (at !== undefined) {
    const end = closingOf(text, at);
    const match = end === undefined ? { start: at, end } : { start: at, end, ...omitUndefined({ value: parseJson(text.slice(at, end)) }) };
    found.push(match);
    if (!('value' in match)) scansLeft -= (end ?? text.length) - at;
    const next = lineWithBrace(text, end !== undefined && 'value' in match ? end : at + 1);
    // When the limit is reached, only the last candidate is tried.
    at = next === undefined || scansLeft > 0 ? next : Math.max(next, text.lastIndexOf('\n{') + 1);
  }
  return found;
}

function lineWithBrace(text: string, from: number): number | undefined {
  if (from === 0 && text.startsWith('{')) return 0;
  const found = text.indexOf('\n{', Math.max(0, from - 1));
  return found === -1 ? undefined : found + 1;
}

function closingOf(text: string, start: number): number | undefined {
  let depth = 0;
  let inText = false;
  for (let index = start; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === BACKSLASH && inText) index += 1;
    else if (code === QUOTE) inText = !inText;
    else if (code === OPEN && !inText) depth += 1;
    else if (code === CLOSE && !inText) {
      depth -= 1;
      if (depth === 0) return index + 1;
    }
  }
  return undefined;
}

const [BACKSLASH, QUOTE, OPEN, CLOSE] = [92, 34, 123, 125] as const;
