// Combines the check `human_approved` for the registry, with its form in workflow files.

import type { CheckCompiler } from '../../../../authoring/graph/work.ts';
import { checkForm } from '../../../../authoring/yaml/schema/form.ts';
import type { Json } from '../../../../base/json.ts';
import type { CheckOf } from '../../../../definition/check.ts';
import type { GateCheck } from '../../../../steps/check.ts';
import { humanApprovedCheck as declaration } from './declare.ts';
import { run } from './run.ts';

const yaml = checkForm({
  meaning: 'Passes if a person approved at an earlier human stage and the files have not changed since.',
  fields: ({ literal }) => ({ stage: literal('The human stage.', 'approve') }),
  toSpec: ({ stage }) => ({ step: stage }),
});

/** The fields of the check in a file, in addition to those that all checks have. */
function write({ step }: CheckOf<'human_approved'>): Readonly<Record<string, Json | undefined>> {
  return { step: undefined, stage: step };
}

/** The registry entry of the check `human_approved`. */
export const humanApprovedCheck: CheckCompiler & GateCheck = { ...declaration, run, write, yaml };
