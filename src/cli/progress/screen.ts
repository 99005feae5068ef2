// Redraws lines in place: one write per change, none if nothing changed, and the lines stay at the end. Lines that
// do not fit on the screen scroll out at the top and are not redrawn.

import { widthOf } from '../terminal.ts';
import type { StepLines } from './block.ts';

const COLUMNS_DEFAULT = 80;
const ROWS_DEFAULT = 24;

interface ScreenOutput {
  readonly context: { readonly stdout: { readonly columns?: number; readonly rows?: number } };
  write(text: string): void;
}

/** A part of the terminal that is redrawn. */
export class Screen {
  private readonly surface: ScreenOutput;
  private drawn: readonly string[] = [];

  constructor(surface: ScreenOutput) {
    this.surface = surface;
  }

  /** The current size of the terminal; a terminal that does not know its size reports 0. */
  get size(): { readonly columns: number; readonly rows: number } {
    const { columns, rows } = this.surface.context.stdout;
    return { columns: Math.max(20, columns || COLUMNS_DEFAULT), rows: Math.max(4, rows || ROWS_DEFAULT) };
  }

  /** Draws the lines in place of the previous ones; `above` is printed above them and stays. */
  draw(lines: readonly string[], above: readonly string[] = []): void {
    if (above.length === 0 && lines.length === this.drawn.length && lines.every((line, index) => line === this.drawn[index])) return;
    const all = [...above, ...lines];
    this.surface.write(`${this.back()}${all.map((line) => `${line}\u001b[K\n`).join('')}\u001b[J`);
    this.drawn = lines;
  }

  /** Keeps the drawn lines; later output is printed below. */
  finish(): void {
    this.drawn = [];
  }

  /** Moves to the first drawn line, also if the terminal became narrower and wrapped lines. */
  private back(): string {
    const { columns } = this.size;
    const rows = this.drawn.reduce((sum, line) => sum + Math.max(1, Math.ceil(widthOf(line) / columns)), 0);
    return rows === 0 ? '' : `\r\u001b[${rows}A`;
  }
}

/** The lines of a block that fit into `rows`, and the steps that scroll out at the top. */
export function fitRows(
  steps: readonly StepLines[],
  rows: number,
): { readonly out: readonly StepLines[]; readonly lines: readonly string[] } {
  const height = (list: readonly StepLines[]): number => list.reduce((sum, { lines }) => sum + lines.length, 0);
  let first = 0;
  while (height(steps.slice(first)) > rows && steps[first]?.ended === true) first += 1;
  const lines = steps.slice(first).flatMap((step) => step.lines);
  // The remaining steps are running. Only their last lines are shown; all lines are printed at the end.
  return { out: steps.slice(0, first), lines: lines.slice(Math.max(0, lines.length - Math.max(1, rows))) };
}
