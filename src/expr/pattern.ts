// Owns the patterns of the `matches` filter: the part of regular expressions that can be matched in linear time. All
// alternatives are followed at once (Thompson's construction), so there is no backtracking.
//
// Supports: literals . ^ $ [classes] \d \w \s \b (groups) a|b * + ? {n} {n,} {n,m}. Matches anywhere in the text,
// by code unit, as JavaScript does without flags. Rejects look-around, back references and named groups.

import { EngineError, isEngineError } from '../base/error.ts';
import type { Meter } from './meter.ts';
import { type Instruction, type PatternMeter, readPattern } from './pattern-program.ts';

const VISITS_PER_STEP = 16;

/** True if the pattern matches somewhere in the text. */
export function matchesPattern(text: string, pattern: string, meter: Meter): boolean {
  const program = readPattern(pattern, meter);
  let current = new ThreadSet(program, text);
  let next = new ThreadSet(program, text);
  for (let at = 0; at <= text.length; at += 1) {
    current.add(0, at);
    meter.spend((1 + current.visits) / VISITS_PER_STEP);
    if (current.matched) return true;
    current.read(at, next);
    [current, next] = [next, current];
    next.clear();
  }
  return false;
}

/** How long something can be that `findPattern` finds; it bounds the time that each position of a text takes. */
const FOUND_MAX = 200;

/** A pattern outside of an evaluation: its own limits bound it, and there is no budget of steps. */
const UNMETERED: PatternMeter = {
  spend: () => undefined,
  fail: (message) => {
    throw new EngineError('DEFINITION_INVALID', message);
  },
};

/** What is wrong with a pattern; undefined if it can be matched here. */
export function patternProblem(pattern: string): string | undefined {
  try {
    readPattern(pattern, UNMETERED);
    return undefined;
  } catch (error) {
    if (!isEngineError(error)) throw error;
    return error.message;
  }
}

/** Everything in a text that a pattern matches, from left to right: the longest at each place, up to 200 characters. */
export function findPattern(text: string, pattern: string): string[] {
  const program = readPattern(pattern, UNMETERED);
  let current = new ThreadSet(program, text);
  let next = new ThreadSet(program, text);
  const found: string[] = [];
  for (let start = 0; start < text.length; ) {
    let end = start;
    current.add(0, start);
    for (let at = start; at <= start + FOUND_MAX; at += 1) {
      if (current.matched) end = at;
      current.read(at, next);
      [current, next] = [next, current];
      next.clear();
      if (current.waiting.length === 0 && !current.matched) break;
    }
    current.clear();
    if (end > start) found.push(text.slice(start, end));
    start = Math.max(end, start + 1);
  }
  return found;
}

/** The program positions that wait for the same character. */
class ThreadSet {
  readonly waiting: number[] = [];
  matched = false;
  visits = 0;
  private readonly program: readonly Instruction[];
  private readonly text: string;
  private readonly seen: Uint8Array;
  private readonly touched: number[] = [];

  constructor(program: readonly Instruction[], text: string) {
    this.program = program;
    this.text = text;
    this.seen = new Uint8Array(program.length);
  }

  /** Adds a position and all that can be reached from it without reading a character. */
  add(start: number, at: number): void {
    const pending = [start];
    for (let index = pending.pop(); index !== undefined; index = pending.pop()) {
      if (this.seen[index] === 1) continue;
      this.seen[index] = 1;
      this.touched.push(index);
      this.visits += 1;
      const instruction = this.program[index] as Instruction;
      if (instruction.op === 'one') this.waiting.push(index);
      else if (instruction.op === 'match') this.matched = true;
      else if (instruction.op === 'fork') pending.push(...instruction.to);
      else if (instruction.holds(this.text, at)) pending.push(index + 1);
    }
  }

  /** Adds to the next set what the positions here lead to by reading the character at an offset. */
  read(at: number, next: ThreadSet): void {
    const code = this.text.charCodeAt(at);
    for (const index of this.waiting) {
      const instruction = this.program[index];
      if (instruction?.op === 'one' && instruction.accepts(code)) next.add(index + 1, at + 1);
    }
  }

  clear(): void {
    for (const index of this.touched) this.seen[index] = 0;
    this.touched.length = 0;
    this.waiting.length = 0;
    this.matched = false;
    this.visits = 0;
  }
}
