// Owns what the kind `command` declares: a program that is given the step on its standard input.

import { checkInvocation, type KindDeclaration } from './kind.ts';

/** A program: `{ run | argv, env?, cwd? }`. */
export const command: KindDeclaration = {
  kind: 'command',
  pipeline: 'execute',
  outcomes: [],
  recovery: 'ask',
  mayBeMember: true,
  check(step, report) {
    checkInvocation(step.config, report);
  },
};
