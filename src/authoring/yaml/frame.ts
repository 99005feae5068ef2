// Owns the picture of a place in a file, for messages that are read outside a terminal: the line, its neighbours, and a
// mark below the place. No row is wider than a usual terminal, and nothing of the file can steer one.

import type { SourcePosition } from '../../base/error.ts';

const COLUMNS = 80;
const AROUND = 1;
const TAB = '  ';
/** How much of a long line is shown after the place. */
const AFTER = 20;

interface Cell {
  readonly text: string;
  readonly width: number;
}

/** The lines of a text around a place, with their numbers and a mark below the place. */
export function frameOf(text: string, position: SourcePosition): string[] {
  const rows = rowsOf(text);
  const line = Math.min(Math.max(position.line, 1), rows.length);
  const first = Math.max(1, line - AROUND);
  const last = Math.min(rows.length, line + AROUND);
  const gutter = String(last).length;
  const room = COLUMNS - gutter - 3;
  const row = rows[line - 1] ?? '';
  const before = widthOf(cellsOf(row.slice(0, position.column - 1)));
  const skipped = widthOf(cellsOf(row)) <= room ? 0 : Math.max(0, before - (room - AFTER));
  const frame: string[] = [];
  for (let number = first; number <= last; number += 1) {
    const shown = windowOf(cellsOf(rows[number - 1] ?? ''), { skipped, room });
    frame.push(`${String(number).padStart(gutter)} | ${shown}`.trimEnd());
    if (number === line) frame.push(`${' '.repeat(gutter)} | ${' '.repeat(before - skipped)}^`);
  }
  return frame;
}

/** The line end at the end of a file begins no line. */
function rowsOf(text: string): string[] {
  const rows = text.split(/\r?\n/);
  return rows.length > 1 && rows.at(-1) === '' ? rows.slice(0, -1) : rows;
}

// Marks that turn the direction of writing would make a line read otherwise than it is.
const UNSEEN = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const NARROW = /^[ -~]*$/;

function cellsOf(row: string): Cell[] {
  const text = row.replaceAll('\t', TAB).replace(UNSEEN, '');
  if (NARROW.test(text)) return [...text].map((character) => ({ text: character, width: 1 }));
  return [...new Intl.Segmenter().segment(text)].map(({ segment }) => ({ text: segment, width: WIDE.test(segment) ? 2 : 1 }));
}

function widthOf(cells: readonly Cell[]): number {
  return cells.reduce((sum, { width }) => sum + width, 0);
}

/** The cells from a column on, as many as there is room for; a cut is marked. */
function windowOf(cells: readonly Cell[], { skipped, room }: { readonly skipped: number; readonly room: number }): string {
  let column = 0;
  let shown = skipped === 0 ? '' : '…';
  for (const [index, { text, width }] of cells.entries()) {
    const from = column - skipped;
    const start = skipped === 0 ? 0 : 1;
    column += width;
    // A wide character that is cut in two leaves a space.
    if (from < start) shown += ' '.repeat(Math.max(0, from + width - start));
    else if (from + width > room - 1 && index < cells.length - 1) return `${shown}…`;
    else if (from + width <= room) shown += text;
  }
  return shown;
}
