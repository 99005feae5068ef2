// Owns what the check `no_changes_requested` declares: nobody with write permission requests changes of the pull request.

import type { CheckDeclaration, CheckOf } from '../../../../definition/check.ts';
import { isText } from '../../../../definition/kind.ts';

/** `pr` is the step that opened the pull request. */
export type NoChangesRequestedCheck = { readonly pr?: string };

declare module '../../../../definition/check.ts' {
  interface CheckConfigs {
    no_changes_requested: NoChangesRequestedCheck;
  }
}

/** No open request for changes. */
export const noChangesRequestedCheck: CheckDeclaration = {
  name: 'no_changes_requested',
  looksElsewhere: true,
  heldAtMerge: true,
  sameInEveryRun: true,
  needsPullRequest: true,
  reactiveEvents: ['pull_request', 'pull_request_review'],
  validate({ pr }: CheckOf<'no_changes_requested'>, report) {
    if (pr !== undefined && !isText(pr)) report.fault('`pr` must name a step', 'name the step that opened the pull request');
  },
};
