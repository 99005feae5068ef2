// Owns the kind `workflow` as the registry has it: its declaration, how a stage of it is written, and its execution.

import type { KindCompiler } from '../../authoring/graph/work.ts';
import { type StageForm, stageForm } from '../../authoring/yaml/schema/form.ts';
import { isEmpty, refusal } from '../../authoring/yaml/write/word.ts';
import { omitUndefined } from '../../base/fields.ts';
import type { JsonObject } from '../../base/json.ts';
import type { StepOf } from '../../definition/model.ts';
import { workflow as compiler } from './compile.ts';

/** The workflow that is run as a child, and its parameters. */
const yaml: StageForm = stageForm({
  meaning: 'Runs another workflow as a child.',
  transitions: ['on_fail', 'on_reject'],
  fields: ({ literal, byName, tree }) => ({
    workflow: literal('The name of the workflow to run as a child.', 'release'),
    input: byName(tree('A value, which may have templates.'), {
      description: 'The parameters of the child.',
      examples: [{ version: '{{ params.version }}' }],
    }).optional(),
  }),
  toSpec: ({ workflow, input }) => ({ workflow, ...omitUndefined({ input: input as JsonObject | undefined }) }),
});

/** A child workflow as a stage. */
function write({ id, workflow, input, review }: StepOf<'workflow'>): JsonObject {
  if (review !== undefined) throw refusal(id, 'it is a review, of which only the parts are known here; write its stage by hand');
  return omitUndefined({ workflow, input: isEmpty(input) ? undefined : input });
}

/** The kind `workflow`: how it is declared and compiled and written in files. */
export const workflowKind: KindCompiler = { ...compiler, write, yaml };
