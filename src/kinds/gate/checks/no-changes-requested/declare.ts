// Declares the check `no_changes_requested`: no person with write permission requests changes to the pull request.

import { omitUndefined } from '../../../../base/fields.ts';
import { type CheckConfigs, type CheckDeclaration, declareCheck, readPr } from '../../../../definition/check.ts';

declare module '../../../../definition/check.ts' {
  interface CheckConfigs {
    no_changes_requested: { readonly pr?: string };
  }
}

/** `pr` is the step that opened the pull request. */
export type NoChangesRequestedCheck = CheckConfigs['no_changes_requested'];

/** No open request for changes. */
export const noChangesRequestedCheck: CheckDeclaration = declareCheck({
  name: 'no_changes_requested',
  readsFiles: false,
  requiredAtMerge: true,
  independentOfRun: true,
  needsPullRequest: true,
  reactiveEvents: ['pull_request', 'pull_request_review'],
  fields: (read) => omitUndefined({ pr: readPr(read) }),
});
