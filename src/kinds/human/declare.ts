// Declares the kind `human`: a question to a person. The question itself is the step's `question`, because any
// step can have one after its work.

import type { KindDeclaration } from '../../definition/kind.ts';
import type { StepOf } from '../../definition/model.ts';

/** A decision of a person. Options may have further outcomes, which `next` can name. */
export const human: KindDeclaration = {
  kind: 'human',
  pipeline: 'human',
  readsDatabases: true,
  effects: 'none',
  again: 'asked again',
  outcomes: [],
  recovery: 'rerun',
  validate({ question }: StepOf<'human'>, report) {
    if (question === undefined) report.fault('`human` must be a question', 'write one such as { prompt: "Ship it?" }');
  },
};
