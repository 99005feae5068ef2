// Owns what the kind `each` declares: the same body for every item of a list, and a join.

import { isText, type KindDeclaration } from '../../definition/kind.ts';

/** One body per item. The body has the id of the group, because an author wrote them as one step. */
export const each: KindDeclaration = {
  kind: 'each',
  outcomes: ['reject_all'],
  recovery: 'rerun',
  validate(step, report) {
    if (!isText(step.items))
      report.fault('it does not say which items it is for', 'name a path into the checkpoint, such as "improvementAreas"');
    else report.expression(step.items, 'its items', 'any');
    if (step.members.length !== 1) report.fault(`it has ${step.members.length} bodies`, 'give it exactly one step to do for every item');
    else if (step.members[0]?.id !== step.id)
      report.fault(`its body is called "${step.members[0]?.id}"`, `call it "${step.id}", like the step`);
  },
};
