// Owns the marks with which the driver finds a text that it posted before a crash. GitHub has no idempotency keys, so a
// hidden comment at the end of the text holds a digest of the key. It is removed when the text is read.

import { digestText } from '../../base/digest.ts';
import { TEXT_MAX } from '../forge.ts';

const MARKER = /\n\n<!-- pawl:[0-9a-f]{24} -->$/;

/** Returns the mark of a key. */
export function markerOf(key: string): string {
  return `\n\n<!-- pawl:${digestText(key).slice(0, 24)} -->`;
}

/** Returns the text with the mark of its key, or unchanged if it has no room for one. */
export function withMarker(text: string, key: string): string {
  const marked = text + markerOf(key);
  return marked.length > TEXT_MAX ? text : marked;
}

/** Returns the text without a mark. */
export function withoutMarker(text: string): string {
  return text.replace(MARKER, '');
}
