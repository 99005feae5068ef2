// Owns what the check `ci_status` declares: which checks of the forge must have concluded, and how.

import { type CheckDeclaration, isSelection } from '../../../../definition/check.ts';

/** `{ workflows?, expect? }`. */
export const ciStatusCheck: CheckDeclaration = {
  name: 'ci_status',
  looksElsewhere: true,
  needsPullRequest: true,
  validate({ workflows, expect }, report) {
    if (!isSelection(workflows)) report.fault('its workflows are no names', 'write them as workflows: ["test"]');
    if (expect !== undefined && !(typeof expect === 'string' && /^[a-z_]+$/.test(expect)))
      report.fault('its expect is no conclusion', 'write a word such as success');
  },
};
