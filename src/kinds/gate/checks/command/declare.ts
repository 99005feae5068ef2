// Owns what the check `command` declares: a program, and how its end is judged.

import { type CheckDeclaration, type CheckOf, validateExpect, validateReport } from '../../../../definition/check.ts';
import { type ProgramModel, validateProgram } from '../../../../definition/program.ts';

/** A program that passes when `expect` holds, by default when it exits with 0. */
export type CommandCheck = ProgramModel & {
  /** An expression over `exit_code`, `stdout` and `stderr`. */
  readonly expect?: string;
  /** A JUnit or TAP file that it writes. */
  readonly report?: string;
  /** `required`: it runs tests even if its output does not look like it; `optional`: it may run none. */
  readonly tests?: 'required' | 'optional';
};

declare module '../../../../definition/check.ts' {
  interface CheckConfigs {
    command: CommandCheck;
  }
}

/** A program whose end is judged. */
export const commandCheck: CheckDeclaration = {
  name: 'command',
  sameInEveryRun: true,
  stopsItself: true,
  title: ({ run, argv }: CheckOf<'command'>) => run ?? argv?.join(' ') ?? 'command',
  validate(config: CheckOf<'command'>, report) {
    validateProgram(config, report);
    validateExpect(config.expect, report, { example: 'exit_code == 0', roots: ['exit_code', 'stdout', 'stderr'] });
    validateReport(config.report, report);
    const { tests } = config;
    if (tests !== undefined && tests !== 'required' && tests !== 'optional')
      report.fault('`tests` must be "required" or "optional"', 'write tests: required, or leave it out');
  },
};
