// Owns how a `workflow` stage is written in a workflow file.

import { type StageForm, stageForm } from '../../authoring/yaml/schema/form.ts';
import { present } from '../../base/fields.ts';
import type { JsonObject } from '../../base/json.ts';

/** The workflow that is run as a child, and its parameters. */
export const yaml: StageForm = stageForm({
  meaning: 'Runs another workflow as a child.',
  transitions: ['on_fail', 'on_reject'],
  fields: ({ literal, byName, tree }) => ({
    workflow: literal('The name of the workflow to run as a child.', 'release'),
    input: byName(tree('A value, which may have templates.'), {
      description: 'The parameters of the child.',
      examples: [{ version: '{{ params.version }}' }],
    }).optional(),
  }),
  toSpec: ({ workflow, input }) => ({ workflow, ...present({ input: input as JsonObject | undefined }) }),
});
