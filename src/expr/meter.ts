// Owns the limits of one evaluation: the number of steps and the length of text. The parser already limits the number
// of nodes, so this counts work that grows with the data.
//
// - Every entry, item and comparison costs a step, even if it is not used.
// - An evaluation ends with a value or an EngineError; `MissingValue` never leaves it.

import { evaluationError, type Source } from './source.ts';

const STEPS_MAX = 100_000;
const TEXT_MAX = 1_000_000;
const CHARACTERS_PER_STEP = 256;

/** The maximum depth of data for operations that descend into it. */
export const DATA_DEPTH_MAX = 256;

/**
 * Signals that a name does not exist, so that `??` can handle it. It is not an Error: most are caught, and the stack
 * and the search for a similar name are only worth their time if one is not.
 */
export class MissingValue {
  readonly offset: number;
  readonly explain: () => string;

  constructor(offset: number, explain: () => string) {
    this.offset = offset;
    this.explain = explain;
  }
}

/** The usage of one evaluation, and its current position. */
export class Meter {
  /** The offset for errors; the evaluator sets it before each operation. */
  offset = 0;
  /** True if values may contain secrets and must not be quoted in messages. */
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

  /** Counts reading this many characters. */
  spendText(characters: number): void {
    this.spend(characters / CHARACTERS_PER_STEP);
  }

  /** Counts text of this length before it is built, and rejects what is too long. */
  reserveText(length: number): void {
    if (length > TEXT_MAX) this.fail(`it builds text of more than ${TEXT_MAX} characters; shorten the parts`);
    this.spendText(length);
  }

  /** Ends the evaluation: the expression does not match its data. */
  fail(message: string): never {
    throw evaluationError(this.source, { offset: this.offset, message });
  }

  /** Ends the evaluation because a value is missing, unless `??` or `default` handles it. */
  absent(explain: () => string): never {
    throw new MissingValue(this.offset, explain);
  }
}
