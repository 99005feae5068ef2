// Owns limiting the output of a step in a pipe: lines per second, by the time they were printed, and characters in total.
// Omitted lines are counted.

import type { OutputLine } from './output-lines.ts';

const LINES_PER_SECOND = 40;
const CHARACTERS_MAX = 64 * 1024;
const LINE_MAX = 300;

/** A line to print, or the number of lines that were left out. */
type LimitedLine = OutputLine | { readonly at: number; readonly leftOut: number };

/** Limits the lines of one attempt. */
export class OutputLimit {
  private omitted = { at: 0, leftOut: 0 };
  private second = 0;
  private inSecond = 0;
  private characters = 0;

  /** What to print for the next line: nothing, or the line, after the number of lines left out before it. */
  admit(line: OutputLine): readonly LimitedLine[] {
    const second = Math.floor(line.at / 1000);
    if (second !== this.second) this.inSecond = 0;
    this.second = second;
    this.inSecond += 1;
    if (this.inSecond > LINES_PER_SECOND || this.characters > CHARACTERS_MAX) {
      this.omitted = { at: line.at, leftOut: this.omitted.leftOut + 1 };
      return [];
    }
    const text = line.text.length <= LINE_MAX ? line.text : `${line.text.slice(0, LINE_MAX)}...`;
    this.characters += text.length;
    return [...this.end(), { at: line.at, text }];
  }

  /** The number of lines left out since the last printed one, if any. */
  end(): readonly LimitedLine[] {
    const { omitted } = this;
    if (omitted.leftOut === 0) return [];
    this.omitted = { at: omitted.at, leftOut: 0 };
    return [omitted];
  }
}
