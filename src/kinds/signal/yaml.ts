// Owns how a `signal` stage is written in a workflow file.

import { type StageForm, stageForm } from '../../authoring/yaml/schema/form.ts';
import type { JsonObject } from '../../base/json.ts';
import type { StepOf } from '../../definition/model.ts';

/** The name of the signal that it waits for. */
export const yaml: StageForm = stageForm({
  meaning: 'A wait for a message from outside: `pawl signal RUN NAME JSON`. Its payload is the output.',
  transitions: [],
  fields: ({ literal }) => ({ signal: literal('The name of the signal.', 'deployed') }),
  toSpec: ({ signal }) => ({ signal }),
});

/** A wait for a signal as a stage. */
export function write({ signal }: StepOf<'signal'>): JsonObject {
  return { signal };
}
