// Combines the check `command` for the registry, with its form in workflow files.

import type { CheckCompiler } from '../../../../authoring/graph/work.ts';
import { bareExpression, envOf } from '../../../../authoring/yaml/compile/part.ts';
import { checkForm } from '../../../../authoring/yaml/schema/form.ts';
import { programRule } from '../../../../authoring/yaml/schema/rule.ts';
import { omitUndefined } from '../../../../base/fields.ts';
import type { GateCheck } from '../../../../steps/check.ts';
import { commandCheck as declaration } from './declare.ts';
import { run } from './run.ts';

const yaml = checkForm({
  meaning: 'Runs a program and checks how it ended.',
  fields: ({ program, condition, literal, choice }) => ({
    ...program,
    expect: condition('What must hold, over `exit_code`, `stdout` and `stderr`. Default: exit_code == 0.', {
      examples: ['exit_code == 0'],
      roots: ['exit_code', 'stdout', 'stderr'],
    }).optional(),
    report: literal(
      'The test report that it writes, as JUnit XML or TAP; it must be newer than the start of the program.',
      'reports/junit.xml',
    ).optional(),
    tests: choice(
      'Whether it must have run a test. Default: if its output or report comes from a test runner, at least one test must have run. `required`: it must show that a test ran; `optional`: it may run no test.',
      ['required', 'optional'],
    ).optional(),
  }),
  toSpec({ run, argv, env, cwd, report, tests, expect }) {
    return omitUndefined({ run, argv, env: envOf(env), cwd, report, tests, expect: expect && bareExpression(expect) });
  },
  rules: programRule,
});

/** The registry entry of the check `command`. */
export const commandCheck: CheckCompiler & GateCheck = { ...declaration, run, yaml };
