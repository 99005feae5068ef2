// Owns how a `signal` step is written: the name of the signal it waits for.

import type { MethodArguments } from '../../authoring/flow/method.ts';
import type { StepParts } from '../../authoring/flow/model.ts';
import type { KindCompiler } from '../../authoring/graph/work.ts';
import { TEXT } from '../../authoring/spec/shape.ts';
import { signal as declaration } from './declare.ts';
import type { SignalStep } from './spec.ts';

/** The kind `signal`. */
export const signal: KindCompiler = {
  ...declaration,
  field: 'signal',
  flow: { signal: { most: 2, build } },
  shapes: { signal: { ...TEXT, code: 'KIND_INVALID' } },
  read: ({ signal: name = '' }) => ({ work: { kind: 'signal', signal: name } }),
};

/** A wait for a named signal. */
function build(name: string, [awaited, options = {}]: MethodArguments<SignalStep<never>, 'signal'>): StepParts {
  return { name, work: { kind: 'signal', signal: awaited }, options };
}
