// Owns the redrawing of lines in place: one write per change, nothing when nothing changed, and the lines stay when it
// ends. What is higher than the screen scrolls out at the top as final lines.

import { widthOf } from '../terminal.ts';
import type { StepLines } from './block.ts';

const COLUMNS_DEFAULT = 80;
const ROWS_DEFAULT = 24;

/** Where a screen is drawn: what it needs of a shell. */
export interface Surface {
  readonly world: { readonly stdout: { readonly columns?: number; readonly rows?: number } };
  write(text: string): void;
}

/** A part of the terminal that is drawn again and again. */
export class Screen {
  private readonly surface: Surface;
  private drawn: readonly string[] = [];

  constructor(surface: Surface) {
    this.surface = surface;
  }

  /** The size of the terminal as it is now; one that does not know its size says 0. */
  get size(): { readonly columns: number; readonly rows: number } {
    const { columns, rows } = this.surface.world.stdout;
    return { columns: Math.max(20, columns || COLUMNS_DEFAULT), rows: Math.max(4, rows || ROWS_DEFAULT) };
  }

  /** Draws the lines in place of those drawn before; `above` stays for good above them. */
  draw(lines: readonly string[], above: readonly string[] = []): void {
    if (above.length === 0 && lines.length === this.drawn.length && lines.every((line, index) => line === this.drawn[index])) return;
    const all = [...above, ...lines];
    this.surface.write(`${this.back()}${all.map((line) => `${line}\u001b[K\n`).join('')}\u001b[J`);
    this.drawn = lines;
  }

  /** Leaves what is drawn as it is: what comes next is printed below. */
  leave(): void {
    this.drawn = [];
  }

  /** Moves to the first line that was drawn, also when the terminal has become narrower since and broke lines in two. */
  private back(): string {
    const { columns } = this.size;
    const rows = this.drawn.reduce((sum, line) => sum + Math.max(1, Math.ceil(widthOf(line) / columns)), 0);
    return rows === 0 ? '' : `\r\u001b[${rows}A`;
  }
}

/** Which lines a block of steps has when at most `rows` are to be seen, and which go out at the top for good. */
export function fitRows(
  steps: readonly StepLines[],
  rows: number,
): { readonly out: readonly StepLines[]; readonly lines: readonly string[] } {
  const height = (list: readonly StepLines[]): number => list.reduce((sum, { lines }) => sum + lines.length, 0);
  let first = 0;
  while (height(steps.slice(first)) > rows && steps[first]?.ended === true) first += 1;
  const lines = steps.slice(first).flatMap((step) => step.lines);
  // What is left is at work: its last lines are the newest; all of them are printed at the end.
  return { out: steps.slice(0, first), lines: lines.slice(Math.max(0, lines.length - Math.max(1, rows))) };
}
