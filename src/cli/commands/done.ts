// `pawl done RUN`: the agent reports its work. The engine verifies it, and the next step is printed, or what was missing.

import { readHandedOver, repeatable, tokenGiven } from '../attended/input.ts';
import { sayByCommand } from '../attended/word.ts';
import type { CommandRun } from '../command.ts';

/** Runs the command. */
export const run: CommandRun = async (shell, given) => {
  const token = tokenGiven(given);
  const said = given.option('result');
  const result = said === undefined ? null : await readHandedOver(shell, said, '--result');
  return sayByCommand(shell, given, {
    say: (engine, id) =>
      engine
        .run(id)
        .report({ token, result })
        .catch((error: unknown) => {
          throw repeatable(shell, error, { command: `pawl done ${id} --result @result.json`, token });
        }),
  });
};
