// Declares the check `command`: a program, and the condition under which it passes.

import { omitUndefined } from '../../../../base/fields.ts';
import { type CheckDeclaration, declareCheck, readExpect, readReport } from '../../../../definition/check.ts';
import { oneOf } from '../../../../definition/field-reader.ts';
import { type ProgramModel, parseProgram } from '../../../../definition/program.ts';

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

/** A program that must exit as expected. */
export const commandCheck: CheckDeclaration = declareCheck({
  name: 'command',
  independentOfRun: true,
  stopsItself: true,
  title: ({ run, argv }) => run ?? argv?.join(' ') ?? 'command',
  reports: ({ report }) => (report === undefined ? [] : [report]),
  fields: (read, report, given) => ({
    ...parseProgram(given, report, read),
    ...omitUndefined({
      expect: readExpect(read, report, { example: 'exit_code == 0', roots: ['exit_code', 'stdout', 'stderr'] }),
      report: readReport(read),
      tests: read.optional('tests', oneOf('required', 'optional'), [
        '`tests` must be "required" or "optional"',
        'write tests: required, or leave it out',
      ]),
    }),
  }),
});
