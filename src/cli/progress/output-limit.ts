// Owns how much of a step's output a pipe gets: a limited number of lines per second, by the time they were printed, and
// of characters in total. Omitted lines are counted.

import type { OutputLine } from './output-lines.ts';

const LINES_PER_SECOND = 40;
const CHARACTERS_MAX = 64 * 1024;
const LINE_MAX = 300;

/** A line to print, or how many lines were left out there. */
type LimitedLine = OutputLine | { readonly at: number; readonly leftOut: number };

/** Limits the lines of one attempt. */
export class OutputLimit {
  private waiting = { at: 0, leftOut: 0 };
  private second = 0;
  private inSecond = 0;
  private characters = 0;

  /** What to print for the next line: nothing, or the line after the number of those left out before it. */
  admit(line: OutputLine): readonly LimitedLine[] {
    const second = Math.floor(line.at / 1000);
    if (second !== this.second) this.inSecond = 0;
    this.second = second;
    this.inSecond += 1;
    if (this.inSecond > LINES_PER_SECOND || this.characters > CHARACTERS_MAX) {
      this.waiting = { at: line.at, leftOut: this.waiting.leftOut + 1 };
      return [];
    }
    const text = line.text.length <= LINE_MAX ? line.text : `${line.text.slice(0, LINE_MAX)}...`;
    this.characters += text.length;
    return [...this.end(), { at: line.at, text }];
  }

  /** How many lines were left out last; nothing if there are none. */
  end(): readonly LimitedLine[] {
    const { waiting } = this;
    if (waiting.leftOut === 0) return [];
    this.waiting = { at: waiting.at, leftOut: 0 };
    return [waiting];
  }
}
