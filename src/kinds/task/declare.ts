// Owns what the kind `task` declares: a function of the author does the work, and its return value is the outcome.

import type { KindDeclaration } from '../../definition/kind.ts';

/** A function in the process of the engine. A crash may have caught it half-way, so it asks before it runs again. */
export const task: KindDeclaration = {
  kind: 'task',
  outcomes: [],
  recovery: 'ask',
  validate() {},
};
