// Owns what the check `pr_approval` declares: how many people of which groups must approve the pull request.

import type { CheckDeclaration } from '../../../../definition/check.ts';
import { isCount, isText, isTextList } from '../../../../definition/kind.ts';

/** `{ from, count? }`. */
export const prApprovalCheck: CheckDeclaration = {
  name: 'pr_approval',
  looksElsewhere: true,
  needsPullRequest: true,
  validate({ from, count }, report) {
    if (!isText(from) && !isTextList(from)) report.fault('it does not say whose approval it needs', 'name a group, as from: maintainers');
    if (count !== undefined && !isCount(count, 1)) report.fault('its count is no number of people', 'write a whole number from 1 up');
  },
};
