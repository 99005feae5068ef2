// Owns what the kind `workflow` declares: another workflow, run as a child.

import { isText, type KindDeclaration } from '../../definition/kind.ts';

/** A child run: `{ workflow: name, input }`. Its id follows from the parent, so starting it again finds it. */
export const workflow: KindDeclaration = {
  kind: 'workflow',
  outcomes: [],
  recovery: 'rerun',
  validate(step, report) {
    if (!isText(step.config.workflow)) report.fault('it does not say which workflow it starts', 'name one, or give it as a value');
  },
};
