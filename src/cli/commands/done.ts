// `pawl done RUN`: the agent reports a step as done. The engine verifies it, and prints the next step or what is missing.

import { EngineError } from '../../base/error.ts';
import { readJsonInput, submitByCommand, tokenGiven } from '../attended/submit.ts';
import type { CommandRun } from '../command.ts';

/** Runs the command. */
export const run: CommandRun = async (shell, given) => {
  const token = tokenGiven(given);
  const value = given.option('result');
  const failure = given.option('failure');
  if (failure !== undefined) {
    if (value !== undefined || given.has('success'))
      throw new EngineError('USAGE', '--failure cannot be combined with --success or --result; report one of them');
    return submitByCommand(shell, { kind: 'failure', token, failure });
  }
  const result = value === undefined ? null : await readJsonInput(shell, value, '--result');
  return submitByCommand(shell, { kind: 'result', token, result });
};
