// Owns what the check `any_of` declares: checks of which one must pass.

import { type CheckDeclaration, type CheckModel, type CheckOf, validateChecks } from '../../../../definition/check.ts';

declare module '../../../../definition/check.ts' {
  interface CheckConfigs {
    any_of: { readonly checks: readonly CheckModel[] };
  }
}

/** Several checks of which one must pass. */
export const anyOfCheck: CheckDeclaration = {
  name: 'any_of',
  // What it is made of may.
  looksElsewhere: true,
  sameInEveryRun: true,
  stopsItself: true,
  validate({ checks }: CheckOf<'any_of'>, report) {
    if (!Array.isArray(checks) || checks.length === 0)
      return report.fault('`checks` must have at least one check', 'write them as checks: [{ check: "command", run: "npm test" }, …]');
    validateChecks(checks, report);
  },
};
