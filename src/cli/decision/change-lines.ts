// Owns how the change of an approval's content is printed.

import { type Json, jsonText } from '../../base/json.ts';
import type { ShownChange } from '../../control/approval-change.ts';
import { oneLine, plain } from '../terminal.ts';

const LINES_SHOWN = 20;

/** The removed and the added lines, without the common lines before and after them. */
export function changeLines({ name, before, after }: ShownChange): string[] {
  const [then, now] = [linesOf(before), linesOf(after)];
  let head = 0;
  while (head < then.length && head < now.length && then[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < then.length - head && tail < now.length - head && then.at(-1 - tail) === now.at(-1 - tail)) tail += 1;
  return [
    `${oneLine(name)}, line ${head + 1}:`,
    ...marked('-', then.slice(head, then.length - tail)),
    ...marked('+', now.slice(head, now.length - tail)),
  ];
}

function linesOf(value: Json | undefined): string[] {
  return value === undefined ? [] : plain(jsonText(value, 2)).split('\n');
}

function marked(mark: string, lines: readonly string[]): string[] {
  const more = lines.length - LINES_SHOWN;
  return [...lines.slice(0, LINES_SHOWN).map((line) => `  ${mark} ${line}`), ...(more > 0 ? [`  ${mark} (${more} more lines)`] : [])];
}
