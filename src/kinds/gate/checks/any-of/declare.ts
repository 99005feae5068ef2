// Owns what the check `any_of` declares: checks of which one must pass.

import { type CheckDeclaration, validateChecks } from '../../../../definition/check.ts';

/** `{ checks }`. */
export const anyOfCheck: CheckDeclaration = {
  name: 'any_of',
  stopsItself: true,
  validate({ checks }, report) {
    if (!Array.isArray(checks) || checks.length === 0)
      return report.fault('it has no checks to choose from', 'write them as checks: [{ check: "command", run: "npm test" }, …]');
    validateChecks(checks, report);
  },
};
