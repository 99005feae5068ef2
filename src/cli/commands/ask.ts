// `pawl ask RUN`: the agent asks the person it works for. A person answers with `pawl answer`.

import { readJsonInput, submitByCommand, tokenGiven } from '../attended/submit.ts';
import type { CommandRun } from '../command.ts';
import { requiredOption } from '../params.ts';

/** Runs the command. */
export const run: CommandRun = async (shell, given) => {
  const token = tokenGiven(given);
  const questions = await readJsonInput(shell, requiredOption(given, 'questions', 'a JSON list of 1 to 3 questions'), '--questions');
  return submitByCommand(shell, { kind: 'questions', token, questions });
};
