// `pawl fail RUN`: the agent gives its attempt up and says why. The step's own rules decide what follows.

import { needed, tokenGiven } from '../attended/input.ts';
import { sayByCommand } from '../attended/word.ts';
import type { CommandRun } from '../command.ts';

/** Runs the command. */
export const run: CommandRun = async (shell, given) => {
  const token = tokenGiven(given);
  const failure = needed(given, 'reason', 'whoever goes on has to know why it could not be done');
  return sayByCommand(shell, given, { gaveUp: true, say: (engine, id) => engine.run(id).report({ token, failure }) });
};
