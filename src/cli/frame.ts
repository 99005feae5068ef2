// Owns the code frame of an error: the line, the lines around it, and a mark below the column. No row is wider than the
// terminal, and the file's text cannot control it.

import type { Shell } from './shell.ts';
import { characters, plain, widthOf } from './terminal.ts';

const AROUND = 1;
const TAB = '  ';
/** How much of a long line is shown after the position. */
const AFTER = 10;
const ROOM_MIN = 30;

/** The columns of each line that are shown, and the mark for a cut. */
interface VisiblePart {
  readonly skipped: number;
  readonly room: number;
  readonly cut: string;
}

/** The lines of a text around a position, with line numbers and a mark below the column. */
export function codeFrame(shell: Shell, text: string, place: { readonly line: number; readonly column: number }): string[] {
  const rows = rowsOf(text);
  const line = Math.min(Math.max(place.line, 1), rows.length);
  const first = Math.max(1, line - AROUND);
  const last = Math.min(rows.length, line + AROUND);
  const gutter = String(last).length;
  const room = Math.max(ROOM_MIN, shell.display.columns - gutter - 5);
  const row = rows[line - 1] ?? '';
  const before = widthOf(shown(row.slice(0, place.column - 1)));
  // A line longer than the terminal is scrolled so that the position is visible.
  const skipped = widthOf(shown(row)) <= room ? 0 : Math.max(0, before - (room - AFTER));
  const bar = shell.style('dim', shell.symbol('bar'));
  const lines: string[] = [];
  for (let number = first; number <= last; number += 1) {
    const isPlace = number === line;
    const body = windowOf(shown(rows[number - 1] ?? ''), { skipped, room, cut: shell.symbol('ellipsis') });
    const label = String(number).padStart(gutter);
    lines.push(`  ${isPlace ? label : shell.style('dim', label)} ${bar} ${isPlace ? body : shell.style('dim', body)}`.trimEnd());
    if (isPlace) lines.push(`  ${' '.repeat(gutter)} ${bar} ${' '.repeat(before - skipped)}${shell.style('red', '^')}`);
  }
  return lines;
}

/** The lines of a text; a newline at the end does not start another line. */
function rowsOf(text: string): string[] {
  const rows = text.split('\n');
  return rows.length > 1 && rows.at(-1) === '' ? rows.slice(0, -1) : rows;
}

function shown(row: string): string {
  return plain(row).replaceAll('\t', TAB);
}

/** The visible part of a line; cuts are marked, and no character is split. */
function windowOf(row: string, { skipped, room, cut }: VisiblePart): string {
  const end = skipped + room;
  const isLong = widthOf(row) > end;
  let column = 0;
  let body = '';
  for (const character of characters(row)) {
    const from = column;
    if (from >= end) break;
    column += widthOf(character);
    const isAfterCut = skipped === 0 || from >= skipped + cut.length;
    const isBeforeCut = column <= (isLong ? end - cut.length : end);
    if (isAfterCut && isBeforeCut) body += character;
    // A wide character at the edge becomes spaces, so that the columns after it stay aligned.
    else if (!isAfterCut && column > skipped + cut.length) body += ' '.repeat(column - skipped - cut.length);
  }
  return `${skipped > 0 && column > skipped ? cut : ''}${body}${isLong ? cut : ''}`;
}
