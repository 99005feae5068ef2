// Declares the check `any_of`: checks of which one must pass.

import { type CheckDeclaration, type CheckModel, declareCheck, isFilledList, parseChecks } from '../../../../definition/check.ts';

declare module '../../../../definition/check.ts' {
  interface CheckConfigs {
    any_of: { readonly checks: readonly CheckModel[] };
  }
}

/** Several checks of which one must pass. */
export const anyOfCheck: CheckDeclaration = declareCheck({
  name: 'any_of',
  // The checks in it may; each of them declares whether it does.
  readsFiles: false,
  independentOfRun: true,
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
