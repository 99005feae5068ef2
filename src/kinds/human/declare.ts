// Owns what the kind `human` declares: a question to a person. The question itself is the step's `question`, because any
// step can have one after its work.

import type { KindDeclaration } from '../../definition/kind.ts';
import type { StepOf } from '../../definition/model.ts';

/** A decision of a person. Options may bring outcomes of their own, which the step's table can then name. */
export const human: KindDeclaration = {
  kind: 'human',
  pipeline: 'human',
  readsDatabases: true,
  effects: 'none',
  again: 'asked again',
  outcomes: [],
  recovery: 'rerun',
  validate({ question }: StepOf<'human'>, report) {
    if (question === undefined) report.fault('it asks a person, but has no question', 'give it a prompt and options');
  },
};
