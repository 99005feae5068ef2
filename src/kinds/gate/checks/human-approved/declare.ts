// Declares the check `human_approved`: the question that a person must have approved.

import { type CheckDeclaration, declareCheck } from '../../../../definition/check.ts';
import { isText } from '../../../../definition/kind.ts';

/** The step that asked. */
export type HumanApprovedCheck<Asks> = { readonly step: Asks };

declare module '../../../../definition/check.ts' {
  interface CheckConfigs {
    human_approved: { readonly step: string };
  }
}

/** A person's decision in this run. */
export const humanApprovedCheck: CheckDeclaration = declareCheck({
  name: 'human_approved',
  approvalOf: ({ step }) => step,
  fields: ({ required }) => ({
    step: required('step', isText, ['`step` must name the step that asked a person', 'write it as step: approve']) ?? '',
  }),
});
