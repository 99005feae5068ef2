// Finds text in text, in time that grows with the sum of their lengths. The runtime's own search grows with the product
// for texts that almost match, and a malicious one takes a minute.

import type { Meter } from './meter.ts';

/** True if the text contains the part. */
export function hasText(text: string, part: string, meter: Meter): boolean {
  return findText(text, part, { meter, limit: 1 }).length > 0;
}

/** Splits the text at each occurrence of the separator, or into its characters if that is empty. */
export function splitText(text: string, separator: string, meter: Meter): string[] {
  if (separator === '') {
    meter.spend(text.length);
    return Array.from(text);
  }
  const parts: string[] = [];
  let from = 0;
  for (const at of findText(text, separator, { meter, limit: Number.POSITIVE_INFINITY })) {
    parts.push(text.slice(from, at));
    from = at + separator.length;
  }
  parts.push(text.slice(from));
  return parts;
}

interface Search {
  readonly meter: Meter;
  readonly limit: number;
}

/** Returns the offsets of the non-overlapping occurrences. By Knuth, Morris and Pratt: reads no character of the text twice. */
function findText(text: string, part: string, search: Search): number[] {
  search.meter.spendText(text.length + part.length);
  if (part === '') return [0];
  if (part.length > text.length) return [];
  const fallback = fallbackTable(part);
  const found: number[] = [];
  let matched = 0;
  for (let at = 0; at < text.length && found.length < search.limit; at += 1) {
    while (matched > 0 && text.charCodeAt(at) !== part.charCodeAt(matched)) matched = fallback[matched - 1] as number;
    if (text.charCodeAt(at) === part.charCodeAt(matched)) matched += 1;
    if (matched < part.length) continue;
    search.meter.spend(1);
    found.push(at - part.length + 1);
    matched = 0;
  }
  return found;
}

/** For each prefix of the part, the length of its longest proper prefix that is also a suffix. */
function fallbackTable(part: string): Int32Array {
  const table = new Int32Array(part.length);
  let matched = 0;
  for (let at = 1; at < part.length; at += 1) {
    while (matched > 0 && part.charCodeAt(at) !== part.charCodeAt(matched)) matched = table[matched - 1] as number;
    if (part.charCodeAt(at) === part.charCodeAt(matched)) matched += 1;
    table[at] = matched;
  }
  return table;
}
