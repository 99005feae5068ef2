// Owns what the kind `signal` declares: a named message from outside.

import { isText, type KindDeclaration } from '../../definition/kind.ts';

/** A wait for a signal: `{ signal: name }`. */
export const signal: KindDeclaration = {
  kind: 'signal',
  outcomes: [],
  recovery: 'rerun',
  validate(step, report) {
    if (!isText(step.config.signal)) report.fault('it does not say which signal it waits for', 'name it');
  },
};
