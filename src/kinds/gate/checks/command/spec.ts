// Owns what authors write for the check `command`, as types: a program, and how its end is judged.

import type { Program, TextsOrFunction } from '../../../../authoring/spec/part.ts';

/** A program, its environment, and how its end is judged. */
export type CommandCheckFields<C> = Program & CommandJudgement<C>;

/** The environment of a program, and how its end is judged. */
export interface CommandJudgement<C> {
  readonly env?: TextsOrFunction<C>;
  readonly cwd?: string;
  /** An expression over `exit_code`, `stdout` and `stderr`; without it, the exit code must be 0. */
  readonly expect?: string;
  /** A JUnit or TAP file that the program writes. */
  readonly report?: string;
  readonly tests?: 'required' | 'optional';
}
