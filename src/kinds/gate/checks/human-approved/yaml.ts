// Owns how the check `human_approved` is written in a workflow file.

import { type CheckForm, checkForm } from '../../../../authoring/yaml/schema/form.ts';
import type { Json } from '../../../../base/json.ts';
import type { CheckOf } from '../../../../definition/check.ts';

/** The stage that asked. */
export const yaml: CheckForm = checkForm({
  meaning: 'Passes if a person approved at an earlier human stage and the files have not changed since.',
  fields: ({ literal }) => ({ stage: literal('The human stage.', 'approve') }),
  toSpec: ({ stage }) => ({ step: stage }),
});

/** How the check is written, beside what all checks have. */
export function write({ step }: CheckOf<'human_approved'>): Readonly<Record<string, Json | undefined>> {
  return { step: undefined, stage: step };
}
