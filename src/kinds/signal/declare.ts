// Declares the kind `signal`: a named message from outside.

import { isText, type KindDeclaration } from '../../definition/kind.ts';
import type { StepOf } from '../../definition/model.ts';

/** A wait for a signal. */
export const signal: KindDeclaration = {
  kind: 'signal',
  pipeline: 'signal',
  readsDatabases: true,
  effects: 'none',
  again: 'waits again',
  outcomes: [],
  recovery: 'rerun',
  validate(step: StepOf<'signal'>, report) {
    if (!isText(step.signal)) report.fault('`signal` must name the signal to wait for', 'write a name such as "deployed"');
  },
};
