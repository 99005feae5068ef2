// `pawl done RUN` and `pawl fail RUN`: the agent reports a step as done, or that it cannot be done. The engine verifies the report,
// and prints the next step or what is missing.

import { EngineError } from '../../base/error.ts';
import { readJsonInput, submitByCommand, tokenGiven } from '../attended/submit.ts';
import type { CommandRun } from '../command.ts';
import { requiredOption } from '../params.ts';

/** Runs `pawl done`. */
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

/** Runs `pawl fail`. */
export const fail: CommandRun = async (shell, given) => {
  const token = tokenGiven(given);
  const failure = requiredOption(given, 'reason', 'the next attempt must know why it could not be done');
  return submitByCommand(shell, { kind: 'failure', token, failure });
};
