// Owns what the kind `command` declares: a program that is given the step on its standard input.

import { checkInvocation, type KindDeclaration } from '../../definition/kind.ts';

/** A program: `{ run | argv, env?, cwd? }`. */
export const command: KindDeclaration = {
  kind: 'command',
  outcomes: [],
  recovery: 'ask',
  validate(step, report) {
    checkInvocation(step.config, report);
  },
};
