// `pawl ask RUN` and `pawl assume RUN`: the agent asks the person it works for, or records what it assumes instead and continues.

import { omitUndefined } from '../../base/fields.ts';
import { readJsonInput, requiredToken, submitByCommand } from '../attended/submit.ts';
import type { CommandRun } from '../command.ts';
import { requiredOption } from '../params.ts';

/** Runs `pawl ask`. */
export const run: CommandRun = async (shell, args) => {
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
