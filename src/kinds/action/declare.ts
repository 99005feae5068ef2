// Owns what the kind `action` declares: something that the engine does on the forge.

import { isText, type KindDeclaration } from '../../definition/kind.ts';

/** An action: `{ action, … }` with the fields of that action. It is done under a key, so it can be asked for again. */
export const action: KindDeclaration = {
  kind: 'action',
  outcomes: ['conflict', 'ci_failure', 'stale_head', 'stale_tree'],
  recovery: 'rerun',
  validate({ config }, report) {
    if (!isText(config.action)) report.fault('it does not say what to do', 'name an action, such as "merge_pr"');
  },
};
