// Owns what the check `command` declares: a program, and how its end is judged.

import type { JsonObject } from '../../../../base/json.ts';
import { type CheckDeclaration, validateExpect, validateReport } from '../../../../definition/check.ts';
import { checkInvocation } from '../../../../definition/kind.ts';

/** `{ run | argv, env?, cwd?, expect?, report?, tests? }`. */
export const commandCheck: CheckDeclaration = {
  name: 'command',
  stopsItself: true,
  title: ({ run, argv }) => (typeof run === 'string' ? run : Array.isArray(argv) ? argv.join(' ') : 'command'),
  validate(config, report) {
    checkInvocation(config as JsonObject, report);
    validateExpect(config.expect, report, { example: 'exit_code == 0', roots: ['exit_code', 'stdout', 'stderr'] });
    validateReport(config.report, report);
    const { tests } = config;
    if (tests !== undefined && tests !== 'required' && tests !== 'optional')
      report.fault('its tests are neither required nor optional', 'write tests: required, or leave it out');
  },
};
