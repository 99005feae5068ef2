// Combines the kind `workflow` for the registry, with its form in workflow files.

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
  if (review !== undefined)
    throw refusal(id, 'it is a review, and only its compiled child workflow is available; write the `review` stage by hand');
  return omitUndefined({ workflow, input: isEmpty(input) ? undefined : input });
}

/** The registry entry of the kind `workflow`. */
export const workflowKind: KindCompiler = { ...compiler, write, yaml };
