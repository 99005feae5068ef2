// Owns printing how the content of an approval changed.

import { type Json, jsonText } from '../../base/json.ts';
import type { ShownChange } from '../../control/approval-change.ts';
import { oneLine, plain } from '../terminal.ts';

const LINES_SHOWN = 20;

/** The removed and the added lines, without the common lines before and after them. */
export function changeLines({ name, before, after }: ShownChange): string[] {
  const [old, current] = [linesOf(before), linesOf(after)];
  let head = 0;
  while (head < old.length && head < current.length && old[head] === current[head]) head += 1;
  let tail = 0;
  while (tail < old.length - head && tail < current.length - head && old.at(-1 - tail) === current.at(-1 - tail)) tail += 1;
  return [
    `${oneLine(name)}, line ${head + 1}:`,
    ...markedLines('-', old.slice(head, old.length - tail)),
    ...markedLines('+', current.slice(head, current.length - tail)),
  ];
}

function linesOf(value: Json | undefined): string[] {
  return value === undefined ? [] : plain(jsonText(value, 2)).split('\n');
}

function markedLines(mark: string, lines: readonly string[]): string[] {
  const more = lines.length - LINES_SHOWN;
  return [...lines.slice(0, LINES_SHOWN).map((line) => `  ${mark} ${line}`), ...(more > 0 ? [`  ${mark} (${more} more lines)`] : [])];
}
