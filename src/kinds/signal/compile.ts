// Owns how a `signal` step is written: the name of the signal it waits for.

import type { StepOptions, StepParts } from '../../authoring/flow/model.ts';
import type { KindCompiler } from '../../authoring/graph/work.ts';
import { TEXT } from '../../authoring/spec/shape.ts';
import { signal as declaration } from './declare.ts';

/** The kind `signal`. */
export const signal: KindCompiler = {
  ...declaration,
  field: 'signal',
  shapes: { signal: { ...TEXT, code: 'KIND_INVALID' } },
  read: ({ signal: name = '' }) => ({ work: { kind: 'signal', signal: name } }),
};

/** A wait for a named signal. */
export function buildSignal(name: string, awaited: string, options: StepOptions = {}): StepParts {
  return { name, work: { kind: 'signal', signal: awaited }, options };
}
