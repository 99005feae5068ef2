// Owns how a `signal` step is written: the name of the signal it waits for.

import type { StepOptions, StepParts } from '../../authoring/flow/model.ts';
import type { KindCompiler } from '../../authoring/graph/work.ts';
import { signal as declaration } from './declare.ts';

/** The kind `signal`. */
export const signal: KindCompiler = {
  ...declaration,
  field: 'signal',
  // A name of another type is reported with the other faults of the step, by `validate`.
  read: ({ signal: name }) => ({ work: { kind: 'signal', signal: typeof name === 'string' ? name : '' } }),
};

/** A wait for a named signal. */
export function buildSignal(name: string, awaited: string, options: StepOptions = {}): StepParts {
  return { name, work: { kind: 'signal', signal: awaited }, options };
}
