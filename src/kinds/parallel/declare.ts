// Owns what the kind `parallel` declares: different branches at once, and a join.

import type { KindDeclaration } from '../../definition/kind.ts';
import type { StepOf } from '../../definition/model.ts';

/** Branches at once. `reject_all` is a key for the case that every branch rejected. */
export const parallel: KindDeclaration = {
  kind: 'parallel',
  pipeline: 'group',
  effects: 'none',
  again: 'its branches, below',
  outcomes: ['reject_all'],
  recovery: 'rerun',
  validate({ members }: StepOf<'parallel'>, report) {
    if (members.length === 0) report.fault('it is parallel, but has no branches', 'give it at least one branch');
  },
};
