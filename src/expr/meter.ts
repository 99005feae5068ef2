// Owns the bounds of one evaluation: how much it may do and how much text it may build. The number of nodes is
// already bounded by the reader, so what remains to count is work that grows with the data.
//
// X3. Every entry, item and comparison costs a step, also where nothing is done with it.
// X4. An evaluation ends with a value or an EngineError; `Absent` never leaves it.

import { evaluationError, type Source } from './source.ts';

const STEPS_MAX = 100_000;
const TEXT_MAX = 1_000_000;
const CHARACTERS_PER_STEP = 256;

/** How deep data may be for the operations that look all the way down. */
export const DATA_DEPTH_MAX = 256;

/**
 * Says that a name does not exist, so that `??` can answer it. Not an Error: most are caught again, and neither the
 * stack nor the search for a similar name is worth its time until one is not.
 */
export class Absent {
  readonly offset: number;
  readonly explain: () => string;

  constructor(offset: number, explain: () => string) {
    this.offset = offset;
    this.explain = explain;
  }
}

/** What one evaluation has used, and where it is. */
export class Meter {
  /** The offset that errors point at; the evaluator moves it before each operation. */
  offset = 0;
  /** True if values may hold secrets and are not to be quoted in messages. */
  readonly discreet: boolean;
  private readonly source: Source;
  private steps = 0;

  constructor(source: Source, discreet: boolean) {
    this.source = source;
    this.discreet = discreet;
  }

  spend(steps: number): void {
    this.steps += steps;
    if (this.steps > STEPS_MAX) this.fail(`it took more than ${STEPS_MAX} steps; look at less data, or prepare it in a step`);
  }

  /** Pays for reading this many characters. */
  spendText(characters: number): void {
    this.spend(characters / CHARACTERS_PER_STEP);
  }

  /** Pays for text of this length before it is built, and refuses what is too long. */
  reserveText(length: number): void {
    if (length > TEXT_MAX) this.fail(`it builds text of more than ${TEXT_MAX} characters; shorten the parts`);
    this.spendText(length);
  }

  /** Ends the evaluation: the expression does not fit its data. */
  fail(message: string): never {
    throw evaluationError(this.source, { offset: this.offset, message });
  }

  /** Ends the evaluation for want of a value, unless `??` or `default` answers. */
  absent(explain: () => string): never {
    throw new Absent(this.offset, explain);
  }
}
