// Owns the texts of a report: wrapped to the screen, truncated, and without control characters; and its counts.

import type { Shell } from '../shell.ts';
import { plain, slices, widthOf } from '../terminal.ts';

const COLUMNS_MAX = 110;
const ROOM_MIN = 20;

/** The layout of a text: its indent, its maximum number of lines, and the command that shows the rest. */
interface Layout {
  readonly indent: number;
  readonly max: number;
  readonly hint?: string;
}

/** Untrusted text as indented lines that fit the screen; the last line tells how many were left out. */
export function cutLines(shell: Shell, text: string, { indent, max, hint }: Layout): string[] {
  const room = Math.max(ROOM_MIN, Math.min(shell.display.columns, COLUMNS_MAX) - indent);
  const lines = plain(text)
    .replaceAll('\t', '  ')
    .trimEnd()
    .split('\n')
    .flatMap((line) => wrapped(line, room));
  const kept = lines.length <= max ? lines : lines.slice(0, Math.max(1, max - 1));
  const hidden = lines.length - kept.length;
  const pad = ' '.repeat(indent);
  const rest = `${shell.symbol('ellipsis')} ${hidden} more lines${hint === undefined ? '' : `: ${hint}`}`;
  return [...kept.map((line) => `${pad}${line}`), ...(hidden === 0 ? [] : [`${pad}${shell.style('dim', rest)}`])];
}

/** The counts above zero: `2 failed`, `1 rejected`. */
export function countTexts(counts: Readonly<Record<string, number>>): string[] {
  return Object.entries(counts).flatMap(([word, count]) => (count > 0 ? [`${count} ${word}`] : []));
}

/** A line in pieces of at most `room` columns, broken at spaces if possible. */
function wrapped(line: string, room: number): string[] {
  const pieces: string[] = [];
  let piece = '';
  let used = 0;
  for (const word of line.split(/(?<= )/)) {
    for (const part of widthOf(word) > room ? slices(word, room) : [word]) {
      const width = widthOf(part.trimEnd());
      if (used > 0 && used + width > room) {
        pieces.push(piece.trimEnd());
        piece = '';
        used = 0;
      }
      piece += part;
      used += widthOf(part);
    }
  }
  return [...pieces, piece.trimEnd()];
}
