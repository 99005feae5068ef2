// Combines the kind `signal` for the registry, with its form in workflow files.

import type { KindCompiler } from '../../authoring/graph/work.ts';
import { type StageForm, stageForm } from '../../authoring/yaml/schema/form.ts';
import type { JsonObject } from '../../base/json.ts';
import type { StepOf } from '../../definition/model.ts';
import { signal as compiler } from './compile.ts';

/** The name of the signal that it waits for. */
const yaml: StageForm = stageForm({
  meaning: 'A wait for a message from outside: `pawl signal RUN NAME JSON`. Its payload is the output.',
  transitions: [],
  fields: ({ literal }) => ({ signal: literal('The name of the signal.', 'deployed') }),
  toSpec: ({ signal }) => ({ signal }),
});

/** A wait for a signal as a stage. */
function write({ signal }: StepOf<'signal'>): JsonObject {
  return { signal };
}

/** The registry entry of the kind `signal`. */
export const signalKind: KindCompiler = { ...compiler, write, yaml };
