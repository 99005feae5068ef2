// `pawl completion`: prints the completion script of a shell. It gets the possible words from `pawl __complete`, and completes paths
// itself.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CommandRun } from '../command.ts';
import { packageRoot } from '../package.ts';

/** Runs the command. */
export const run: CommandRun = async (shell, args) => {
  const name = args.word('SHELL');
  const script = readFileSync(join(packageRoot(), 'templates', 'completion', `pawl.${name}`), 'utf8');
  return shell.result({ shell: name, script }, () => script.trimEnd().split('\n'));
};
