// Declares the kind `parallel`: branches that run at the same time, and a join.

import type { KindDeclaration } from '../../definition/kind.ts';
import type { StepOf } from '../../definition/model.ts';

/** Branches that run at the same time. `reject_all` is the outcome if every branch rejected. */
export const parallel: KindDeclaration = {
  kind: 'parallel',
  pipeline: 'group',
  effects: 'none',
  again: 'its branches, below',
  outcomes: ['reject_all'],
  recovery: 'rerun',
  validate({ members }: StepOf<'parallel'>, report) {
    if (members.length === 0) report.fault('`branches` must have at least one branch', 'add one, as in branches: { lint: { … } }');
  },
};
