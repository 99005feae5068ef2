// Owns what the check `label_present` declares: labels that the issue or the pull request must have.

import { present } from '../../../../base/fields.ts';
import { type CheckDeclaration, declareCheck, isNames, readPr } from '../../../../definition/check.ts';
import { oneOf } from '../../../../definition/field-reader.ts';
import type { LabelPresentCheck } from './spec.ts';

declare module '../../../../definition/check.ts' {
  interface CheckConfigs {
    label_present: LabelPresentCheck;
  }
}

/** Labels of the issue or the pull request. */
export const labelPresentCheck: CheckDeclaration = declareCheck({
  name: 'label_present',
  looksElsewhere: true,
  sameInEveryRun: true,
  reactiveEvents: ['issues.labeled', 'issues.unlabeled', 'pull_request.labeled', 'pull_request.unlabeled'],
  fields: (read) => ({
    label: read.required('label', isNames, ['`label` must name a label', 'write one as label: approved']) ?? [],
    ...present({
      target: read.optional('target', oneOf('issue', 'pr'), ['`target` must be issue or pr', 'write target: pr']),
      pr: readPr(read),
    }),
  }),
});
