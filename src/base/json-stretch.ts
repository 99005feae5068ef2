// Owns finding JSON objects in the output of a program: one that begins a line, up to the brace that closes it. Braces
// inside texts do not count, and no character is looked at more than a few times, however long the output is.

import type { Json } from './json.ts';

/** An object that was found in a text. `value` is absent when it is not JSON; `end` is absent when nothing closes it. */
export interface Stretch {
  readonly start: number;
  readonly end: number | undefined;
  readonly value?: Json;
}

const UNCLOSED_MAX = 20;

/** Every object at the beginning of a line, in order. One inside another is not found again. */
export function jsonStretches(text: string): Stretch[] {
  const found: Stretch[] = [];
  let unclosed = 0;
  let at = lineWithBrace(text, 0);
  while (at !== undefined) {
    const end = closingOf(text, at);
    const stretch = end === undefined ? { start: at, end } : { start: at, end, ...parsed(text.slice(at, end)) };
    found.push(stretch);
    if (end === undefined) unclosed += 1;
    const next = lineWithBrace(text, end !== undefined && 'value' in stretch ? end : at + 1);
    // Each unclosed one was looked at to the end of the text: after a flood of them only the last line counts.
    at = next === undefined || unclosed < UNCLOSED_MAX ? next : Math.max(next, text.lastIndexOf('\n{') + 1);
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

function parsed(text: string): { readonly value?: Json } {
  try {
    return { value: JSON.parse(text) as Json };
  } catch {
    return {};
  }
}
