// Owns how the check `command` is written in a workflow file.

import { bareExpression, envOf } from '../../../../authoring/yaml/compile/part.ts';
import { type CheckForm, checkForm } from '../../../../authoring/yaml/schema/form.ts';
import { programRule } from '../../../../authoring/yaml/schema/rule.ts';
import { present } from '../../../../base/fields.ts';

/** A program, how its end is judged, and the report of its tests. */
export const yaml: CheckForm = checkForm({
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
    return present({ run, argv, env: envOf(env), cwd, report, tests, expect: expect && bareExpression(expect) });
  },
  rules: programRule,
});
