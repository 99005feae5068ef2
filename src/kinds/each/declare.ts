// Declares the kind `each`: the same body for every item of a list, and a join.

import { isText, type KindDeclaration } from '../../definition/kind.ts';
import type { StepOf } from '../../definition/model.ts';

/** One body per item. */
export const each: KindDeclaration = {
  kind: 'each',
  pipeline: 'group',
  effects: 'none',
  again: 'its items, below',
  outcomes: ['reject_all'],
  recovery: 'rerun',
  validate({ items, body, id }: StepOf<'each'>, report) {
    if (!isText(items)) report.fault('`items` must name the list', 'write a path into the checkpoint, such as "improvementAreas"');
    else report.expression(items, '`items`', 'any');
    if (body.id !== id) report.fault(`the id of its body must be "${id}", not "${body.id}"`, 'give it the id of the step');
  },
};
