// Owns what the check `ci_status` declares: which checks of the forge must have concluded, and how.

import { present } from '../../../../base/fields.ts';
import { type CheckDeclaration, declareCheck, isSelection, readPr } from '../../../../definition/check.ts';
import type { CiStatusCheck } from './spec.ts';

declare module '../../../../definition/check.ts' {
  interface CheckConfigs {
    ci_status: CiStatusCheck;
  }
}

/** Checks of the forge. */
export const ciStatusCheck: CheckDeclaration = declareCheck({
  name: 'ci_status',
  looksElsewhere: true,
  heldAtMerge: true,
  judgesWork: true,
  sameInEveryRun: true,
  needsPullRequest: true,
  reactiveEvents: ['check_run', 'check_suite', 'status', 'workflow_run', 'pull_request'],
  fields: (read) =>
    present({
      workflows: read.optional('workflows', isSelection, ['`workflows` must be a list of names', 'write them as workflows: ["test"]']),
      expect: read.optional('expect', isConclusion, ['`expect` must be a conclusion', 'write a word such as success']),
      pr: readPr(read),
    }),
});

function isConclusion(value: unknown): value is string {
  return typeof value === 'string' && /^[a-z_]+$/.test(value);
}
