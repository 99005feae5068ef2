// `pawl assume RUN`: the agent records what it assumes instead of asking, and continues its step.

import { present } from '../../base/fields.ts';
import { submitByCommand, tokenGiven } from '../attended/submit.ts';
import type { CommandRun } from '../command.ts';
import { requiredOption } from '../params.ts';

/** Runs the command. */
export const run: CommandRun = (shell, given) => {
  const token = tokenGiven(given);
  const question = requiredOption(given, 'question', 'the question that you would have asked');
  const assumed = requiredOption(given, 'assumed', 'the answer that you assume');
  const options = given.options('option');
  const assumption = {
    question,
    assumed,
    ...present({ severity: given.option('severity') }),
    ...(options.length === 0 ? {} : { options: [...options] }),
  };
  return submitByCommand(shell, { kind: 'assumptions', token, assumptions: [assumption] });
};
