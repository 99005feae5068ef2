// Owns the check `human_approved` as the registry has it: its declaration, how it is written in a workflow file, and its execution.

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

/** How the check is written, beside what all checks have. */
function write({ step }: CheckOf<'human_approved'>): Readonly<Record<string, Json | undefined>> {
  return { step: undefined, stage: step };
}

/** The check `human_approved`: how it is declared, written in files and made. */
export const humanApprovedCheck: CheckCompiler & GateCheck = { ...declaration, run, write, yaml };
