// Owns what the check `label_present` declares: labels that the issue or the pull request must have.

import type { CheckDeclaration, CheckOf } from '../../../../definition/check.ts';
import { isText, isTextList } from '../../../../definition/kind.ts';

/** The labels, all of which must be present. `pr` is the step that opened the pull request, and implies `target: pr`. */
export type LabelPresentCheck = { readonly label: string | readonly string[]; readonly target?: 'issue' | 'pr'; readonly pr?: string };

declare module '../../../../definition/check.ts' {
  interface CheckConfigs {
    label_present: LabelPresentCheck;
  }
}

/** Labels of the issue or the pull request. */
export const labelPresentCheck: CheckDeclaration = {
  name: 'label_present',
  looksElsewhere: true,
  sameInEveryRun: true,
  reactiveEvents: ['issues.labeled', 'issues.unlabeled', 'pull_request.labeled', 'pull_request.unlabeled'],
  validate({ label, target, pr }: CheckOf<'label_present'>, report) {
    if (!isText(label) && !isTextList(label)) report.fault('`label` must name a label', 'write one as label: approved');
    if (target !== undefined && target !== 'issue' && target !== 'pr') report.fault('`target` must be issue or pr', 'write target: pr');
    if (pr !== undefined && !isText(pr)) report.fault('`pr` must name a step', 'name the step that opened the pull request');
  },
};
