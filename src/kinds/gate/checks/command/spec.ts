// Owns the author-facing types of the check `command`: a program, and the condition under which it passes.

import type { Program, TextsOrFunction } from '../../../../authoring/spec/part.ts';

/** A program, its environment, and the condition under which it passes. */
export type CommandCheckFields<C> = Program & CommandJudgement<C>;

/** The environment of a program, and the condition under which it passes. */
export interface CommandJudgement<C> {
  readonly env?: TextsOrFunction<C>;
  readonly cwd?: string;
  /** An expression over `exit_code`, `stdout` and `stderr`; without it, the exit code must be 0. */
  readonly expect?: string;
  /** A JUnit or TAP file that the program writes. */
  readonly report?: string;
  readonly tests?: 'required' | 'optional';
}
