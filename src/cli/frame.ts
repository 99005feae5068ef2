// Owns the picture of a place in a file: the line, the lines around it, and a mark below the place.

import type { Shell } from './shell.ts';
import { plain, shorten, widthOf } from './terminal.ts';

const AROUND = 1;
const TAB = '  ';

/** The lines of a text around a place, with their numbers and a mark below the place. */
export function codeFrame(shell: Shell, text: string, place: { readonly line: number; readonly column: number }): string[] {
  const rows = text.split('\n');
  const first = Math.max(1, place.line - AROUND);
  const last = Math.min(rows.length, place.line + AROUND);
  const gutter = String(last).length;
  const room = Math.max(20, shell.look.columns - gutter - 5);
  const before = shown((rows[place.line - 1] ?? '').slice(0, place.column - 1));
  // A line that is longer than the terminal is shown from where its place can be seen.
  const skip = widthOf(before) > room - 10 ? before.length - Math.floor(room / 2) : 0;
  const bar = shell.style('dim', shell.symbol('bar'));
  const lines: string[] = [];
  for (let line = first; line <= last; line += 1) {
    const isPlace = line === place.line;
    const body = shorten(shell.look, shown(rows[line - 1] ?? '').slice(skip), room);
    const number = String(line).padStart(gutter);
    lines.push(`  ${isPlace ? number : shell.style('dim', number)} ${bar} ${isPlace ? body : shell.style('dim', body)}`.trimEnd());
    if (isPlace) lines.push(`  ${' '.repeat(gutter)} ${bar} ${' '.repeat(widthOf(before.slice(skip)))}${shell.style('red', '^')}`);
  }
  return lines;
}

function shown(row: string): string {
  return plain(row).replaceAll('\t', TAB);
}
