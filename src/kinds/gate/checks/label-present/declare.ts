// Declares the check `label_present`: labels that the issue or the pull request must have.

import { omitUndefined } from '../../../../base/fields.ts';
import { type CheckConfigs, type CheckDeclaration, declareCheck, isNames, readPr } from '../../../../definition/check.ts';
import { oneOf } from '../../../../definition/field-reader.ts';

declare module '../../../../definition/check.ts' {
  interface CheckConfigs {
    label_present: { readonly label: string | readonly string[]; readonly target?: 'issue' | 'pr'; readonly pr?: string };
  }
}

/** The labels, all of which must be present. `pr` is the step that opened the pull request, and implies `target: pr`. */
export type LabelPresentCheck = CheckConfigs['label_present'];

/** Labels of the issue or the pull request. */
export const labelPresentCheck: CheckDeclaration = declareCheck({
  name: 'label_present',
  readsFiles: false,
  independentOfRun: true,
  reactiveEvents: ['issues.labeled', 'issues.unlabeled', 'pull_request.labeled', 'pull_request.unlabeled'],
  fields: (read) => ({
    label: read.required('label', isNames, ['`label` must name a label', 'write one as label: approved']) ?? [],
    ...omitUndefined({
      target: read.optional('target', oneOf('issue', 'pr'), ['`target` must be issue or pr', 'write target: pr']),
      pr: readPr(read),
    }),
  }),
});
