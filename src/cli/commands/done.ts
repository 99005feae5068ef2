// `pawl done`, `fail`, `ask` and `assume`: the agent reports its step, asks the person it works for, or records what it assumes
// instead. The engine verifies a report, and prints the next step or what is missing.

import { omitUndefined } from '../../base/fields.ts';
import { readJsonInput, requiredToken, submitByCommand } from '../attended/submit.ts';
import { type CommandRun, usageError } from '../command.ts';
import { requiredOption } from '../params.ts';

/** Runs `pawl done`. */
export const run: CommandRun = async (shell, args) => {
  const token = requiredToken(args);
  const value = args.option('result');
  const failure = args.option('failure');
  if (failure !== undefined) {
    if (value !== undefined || args.has('success'))
      throw usageError('--failure cannot be combined with --success or --result; report one of them');
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

/** Runs `pawl ask`. */
export const ask: CommandRun = async (shell, args) => {
  const token = requiredToken(args);
  const questions = await readJsonInput(shell, requiredOption(args, 'questions', 'a JSON list of 1 to 3 questions'), '--questions');
  return submitByCommand(shell, { kind: 'questions', token, questions });
};

/** Runs `pawl assume`. */
export const assume: CommandRun = (shell, args) => {
  const token = requiredToken(args);
  const question = requiredOption(args, 'question', 'the question that you would have asked');
  const assumed = requiredOption(args, 'assumed', 'the answer that you assume');
  const options = args.options('option');
  const more = omitUndefined({ severity: args.option('severity'), options: options.length === 0 ? undefined : [...options] });
  return submitByCommand(shell, { kind: 'assumptions', token, assumptions: [{ question, assumed, ...more }] });
};
