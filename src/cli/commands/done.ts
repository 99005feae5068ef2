// `pawl done RUN` and `pawl fail RUN`: the agent reports a step as done, or that it cannot be done. The engine verifies the report,
// and prints the next step or what is missing.

import { EngineError } from '../../base/error.ts';
import { readJsonInput, requiredToken, submitByCommand } from '../attended/submit.ts';
import type { CommandRun } from '../command.ts';
import { requiredOption } from '../params.ts';

/** Runs `pawl done`. */
export const run: CommandRun = async (shell, args) => {
  const token = requiredToken(args);
  const value = args.option('result');
  const failure = args.option('failure');
  if (failure !== undefined) {
    if (value !== undefined || args.has('success'))
      throw new EngineError('USAGE', '--failure cannot be combined with --success or --result; report one of them');
    return submitByCommand(shell, { kind: 'failure', token, failure });
  }
  const result = value === undefined ? null : await readJsonInput(shell, value, '--result');
  return submitByCommand(shell, { kind: 'result', token, result });
};

/** Runs `pawl fail`. */
export const fail: CommandRun = async (shell, args) => {
  const token = requiredToken(args);
  const failure = requiredOption(args, 'reason', 'the next attempt must know why it could not be done');
  return submitByCommand(shell, { kind: 'failure', token, failure });
};
