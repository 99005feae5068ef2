// `pawl fail RUN`: the agent reports that its step cannot be done, and why.

import { submitByCommand, tokenGiven } from '../attended/submit.ts';
import type { CommandRun } from '../command.ts';
import { requiredOption } from '../params.ts';

/** Runs the command. */
export const run: CommandRun = async (shell, given) => {
  const token = tokenGiven(given);
  const failure = requiredOption(given, 'reason', 'the next attempt must know why it could not be done');
  return submitByCommand(shell, { kind: 'failure', token, failure });
};
