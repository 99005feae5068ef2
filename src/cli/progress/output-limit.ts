// Owns how much of a step's output a pipe gets: so many lines a second, by the time they were printed, and so many
// characters in all. What is left out is counted.

import type { OutputLine } from './output-lines.ts';

const LINES_PER_SECOND = 40;
const CHARACTERS_MAX = 64 * 1024;
const LINE_MAX = 300;

/** The text of a line that stands for lines that were left out. */
export const LEFT_OUT = '\u0000';

/** Limits the lines of one attempt. */
export class OutputLimit {
  /** How many lines the last such line stands for. */
  leftOut = 0;
  private waiting: { count: number; at: number } = { count: 0, at: 0 };
  private second = 0;
  private inSecond = 0;
  private characters = 0;

  /** The lines to print for the next one: none, itself, or before it one that stands for those left out. */
  admit(line: OutputLine): readonly OutputLine[] {
    const second = Math.floor(line.at / 1000);
    if (second !== this.second) this.inSecond = 0;
    this.second = second;
    this.inSecond += 1;
    if (this.inSecond > LINES_PER_SECOND || this.characters > CHARACTERS_MAX) {
      this.waiting = { count: this.waiting.count + 1, at: line.at };
      return [];
    }
    const text = line.text.length <= LINE_MAX ? line.text : `${line.text.slice(0, LINE_MAX)}...`;
    this.characters += text.length;
    return [...this.end(), { at: line.at, text }];
  }

  /** The line that stands for those left out last; none if there are none. */
  end(): readonly OutputLine[] {
    const { count, at } = this.waiting;
    if (count === 0) return [];
    this.leftOut = count;
    this.waiting = { count: 0, at };
    return [{ at, text: LEFT_OUT }];
  }
}
