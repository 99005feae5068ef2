// Shortens strings that are too long for a message or a checkpoint, without splitting a character.

/** Shortens a string to at most so many characters; an ellipsis marks the cut. */
export function shortText(text: string, charactersMax: number): string {
  if (text.length <= charactersMax) return text;
  const end = charactersMax - 1;
  // Do not split a surrogate pair.
  const isInPair = isHighSurrogate(text.charCodeAt(end - 1));
  return `${text.slice(0, isInPair ? end - 1 : end)}…`;
}

/** The first items of a list: `a, b and 3 more`. */
export function shortList(items: readonly string[], itemsMax: number): string {
  const rest = items.length - itemsMax;
  return `${items.slice(0, itemsMax).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

/** Puts a string on one line and shortens it. */
export function shortLine(text: string, charactersMax: number): string {
  return shortText(text.replaceAll(/\s+/g, ' '), charactersMax);
}

/** Keeps the beginning or the end of a string, in at most so many bytes of UTF-8. */
export function textWithin(text: string, bytesMax: number, kept: 'beginning' | 'end' = 'beginning'): string {
  const bytes = new TextEncoder().encode(text);
  const part = kept === 'end' ? bytes.subarray(Math.max(0, bytes.length - bytesMax)) : bytes.subarray(0, bytesMax);
  const decoded = new TextDecoder('utf-8', { ignoreBOM: true }).decode(part);
  // A character that the cut splits is decoded as U+FFFD.
  return part.length === bytes.length ? decoded : decoded.replace(kept === 'end' ? /^\uFFFD+/ : /\uFFFD+$/, '');
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
