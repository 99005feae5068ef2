// `pawl completion`: the script that completes words of this command line in a shell.

import type { CommandRun } from '../command.ts';
import { COMPLETION_SCRIPTS } from '../completion/scripts.ts';

/** Runs the command. */
export const run: CommandRun = async (shell, given) => {
  const name = given.word('SHELL');
  const script = COMPLETION_SCRIPTS[name] ?? '';
  shell.result({ shell: name, script }, () => script.trimEnd().split('\n'));
  return 0;
};
