// Declares the check `ci_status`: which checks of the forge must have concluded, and how.

import { omitUndefined } from '../../../../base/fields.ts';
import { type CheckConfigs, type CheckDeclaration, declareCheck, isSelection, readPr } from '../../../../definition/check.ts';

declare module '../../../../definition/check.ts' {
  interface CheckConfigs {
    ci_status: { readonly workflows?: readonly string[]; readonly expect?: string; readonly pr?: string };
  }
}

/** The CI workflows to check (default: all), and the conclusion each must have. */
export type CiStatusCheck = CheckConfigs['ci_status'];

/** CI checks at the forge. */
export const ciStatusCheck: CheckDeclaration = declareCheck({
  name: 'ci_status',
  readsFiles: false,
  requiredAtMerge: true,
  checksWork: true,
  independentOfRun: true,
  needsPullRequest: true,
  reactiveEvents: ['check_run', 'check_suite', 'status', 'workflow_run', 'pull_request'],
  fields: (read) =>
    omitUndefined({
      workflows: read.optional('workflows', isSelection, ['`workflows` must be a list of names', 'write them as workflows: ["test"]']),
      expect: read.optional('expect', isConclusion, ['`expect` must be a conclusion', 'write a word such as success']),
      pr: readPr(read),
    }),
});

function isConclusion(value: unknown): value is string {
  return typeof value === 'string' && /^[a-z_]+$/.test(value);
}
