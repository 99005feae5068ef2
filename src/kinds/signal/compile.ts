// Compiles a `signal` step: the name of the signal it waits for.

import type { MethodArguments } from '../../authoring/flow/method.ts';
import type { FlowSpec } from '../../authoring/flow/model.ts';
import type { KindCompiler } from '../../authoring/graph/work.ts';
import { TEXT } from '../../authoring/spec/shape.ts';
import { signal as declaration } from './declare.ts';
import type { SignalStep } from './spec.ts';

/** Compiles `signal` steps. */
export const signal: KindCompiler = {
  ...declaration,
  field: 'signal',
  flow: {
    signal: {
      most: 2,
      write: ([name, options]: MethodArguments<SignalStep<never>, 'signal'>): FlowSpec => ({ fields: { signal: name }, options }),
    },
  },
  shapes: { signal: { ...TEXT, code: 'KIND_INVALID' } },
  read: ({ signal: name = '' }) => ({ work: { kind: 'signal', signal: name } }),
};
