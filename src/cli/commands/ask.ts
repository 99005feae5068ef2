// `pawl ask RUN`: the agent relays questions to the person it works for. A person answers them with `pawl answer`.

import { needed, readHandedOver, repeatable, tokenGiven } from '../attended/input.ts';
import { sayByCommand } from '../attended/word.ts';
import type { CommandRun } from '../command.ts';

/** Runs the command. */
export const run: CommandRun = async (shell, given) => {
  const token = tokenGiven(given);
  const questions = await readHandedOver(shell, needed(given, 'questions', 'a JSON list of 1 to 3 questions'), '--questions');
  return sayByCommand(shell, given, {
    say: async (engine, id) => {
      await engine
        .run(id)
        .ask({ token, questions })
        .catch((error: unknown) => {
          throw repeatable(shell, error, { command: `pawl ask ${id} --questions @questions.json`, token });
        });
      return undefined;
    },
  });
};
