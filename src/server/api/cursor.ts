// Owns cursors of lists: the end of a page, as an opaque text that callers pass back.

import { EngineError } from '../../base/error.ts';

const MARK = 'p1.';

/** The cursor of a place. */
export function encodeCursor(place: number): string {
  return Buffer.from(`${MARK}${place}`).toString('base64url');
}

/** The place of a cursor. */
export function decodeCursor(cursor: string): number {
  const text = Buffer.from(cursor, 'base64url').toString();
  const place = text.startsWith(MARK) ? Number(text.slice(MARK.length)) : Number.NaN;
  if (Number.isSafeInteger(place) && place >= 0) return place;
  throw new EngineError('REQUEST_INVALID', `"${cursor}" is not a cursor; pass "next" of the page before, or leave it out`);
}
