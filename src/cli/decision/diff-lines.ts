// Owns how a diff is printed. It is text from outside: every line has a bar in front, and characters that steer a terminal
// are spelled out.

import type { Shell } from '../shell.ts';
import { type StyleName, slices, spelledOut, widthOf } from '../terminal.ts';

const LINES_SHOWN = 300;

/** What differs, and what it was compared with. */
export interface ApprovalDiff {
  readonly title: string;
  readonly text: string;
}

/** The lines of a diff; on a terminal in colour, wrapped, and cut after some hundred lines. */
export function diffLines(shell: Shell, { title, text }: ApprovalDiff, command: string): string[] {
  const { isTerminal, columns } = shell.look;
  const width = isTerminal ? Math.max(20, columns - 3) : Number.POSITIVE_INFINITY;
  const bar = shell.style('yellow', shell.symbol('bar'));
  const lines = text === '' ? [] : text.trimEnd().split('\n');
  const shown = isTerminal ? lines.slice(0, LINES_SHOWN) : lines;
  const rest = lines.length - shown.length;
  return [
    shell.style('dim', title),
    ...shown.flatMap((line) => pieces(line, width).map((piece) => `${bar} ${styledLine(shell, line, piece)}`)),
    ...(rest === 0 ? [] : [shell.style('dim', `${shell.symbol('ellipsis')} ${rest} more lines; all of them: ${command} > FILE`)]),
  ];
}

function pieces(line: string, width: number): string[] {
  const safe = spelledOut(line.replace(/\r$/, '').replaceAll('\t', '    '));
  return widthOf(safe) <= width ? [safe] : slices(safe, width);
}

function styledLine(shell: Shell, line: string, piece: string): string {
  const style = styleOf(line);
  return style === undefined ? piece : shell.style(style, piece);
}

function styleOf(line: string): StyleName | undefined {
  if (/^(?:diff |index |--- |\+\+\+ |new file|deleted file|similarity|rename )/.test(line)) return 'bold';
  if (line.startsWith('@@')) return 'cyan';
  if (line.startsWith('+')) return 'green';
  return line.startsWith('-') ? 'red' : undefined;
}
