// Prints a diff. A diff is untrusted text: every line has a bar in front, and control characters are spelled
// out.

import type { Shell } from '../shell.ts';
import { type StyleName, slices, spelledOut, widthOf } from '../terminal.ts';

const LINES_SHOWN = 300;

/** A diff; the title says what was compared, or why there is no text. */
export interface ApprovalDiff {
  readonly title: string;
  readonly text?: string;
}

/** The lines of a diff; on a terminal coloured, wrapped and truncated. */
export function diffLines(shell: Shell, { title, text }: ApprovalDiff, command: string): string[] {
  const { isTerminal, columns } = shell.display;
  const width = isTerminal ? Math.max(20, columns - 3) : Number.POSITIVE_INFINITY;
  const bar = shell.style('yellow', shell.symbol('bar'));
  const lines = text === undefined || text === '' ? [] : text.trimEnd().split('\n');
  const shown = isTerminal ? lines.slice(0, LINES_SHOWN) : lines;
  const rest = lines.length - shown.length;
  return [
    shell.style('dim', title),
    ...shown.flatMap((line) => {
      const style = styleOf(line);
      return wrapped(line, width).map((piece) => `${bar} ${style === undefined ? piece : shell.style(style, piece)}`);
    }),
    ...(rest === 0 ? [] : [shell.style('dim', `${shell.symbol('ellipsis')} ${rest} more lines; all of them: ${command} > FILE`)]),
  ];
}

function wrapped(line: string, width: number): string[] {
  const safe = spelledOut(line.replace(/\r$/, '').replaceAll('\t', '    '));
  return widthOf(safe) <= width ? [safe] : slices(safe, width);
}

function styleOf(line: string): StyleName | undefined {
  if (/^(?:diff |index |--- |\+\+\+ |new file|deleted file|similarity|rename )/.test(line)) return 'bold';
  if (line.startsWith('@@')) return 'cyan';
  if (line.startsWith('+')) return 'green';
  return line.startsWith('-') ? 'red' : undefined;
}
