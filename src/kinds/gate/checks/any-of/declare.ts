// Owns what the check `any_of` declares: checks of which one must pass.

import { type CheckDeclaration, type CheckModel, declareCheck, isFilledList, parseChecks } from '../../../../definition/check.ts';

declare module '../../../../definition/check.ts' {
  interface CheckConfigs {
    any_of: { readonly checks: readonly CheckModel[] };
  }
}

/** Several checks of which one must pass. */
export const anyOfCheck: CheckDeclaration = declareCheck({
  name: 'any_of',
  // What it is made of may.
  looksElsewhere: true,
  sameInEveryRun: true,
  stopsItself: true,
  isMadeOfOthers: true,
  fields({ required }, report) {
    const checks = required('checks', isFilledList, [
      '`checks` must have at least one check',
      'write them as checks: [{ check: "command", run: "npm test" }, …]',
    ]);
    return { checks: parseChecks(checks ?? [], report) };
  },
});
