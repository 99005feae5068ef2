// `pawl approve`: decides with the option that approves.

import { optionFor } from '../../control/verdict-option.ts';
import type { CommandRun } from '../command.ts';
import { decideByCommand } from '../decision/decide-by-command.ts';

/** Runs the command. */
export const run: CommandRun = (shell, given) =>
  decideByCommand(shell, given, (gate, definition) => optionFor('approve', gate, definition));
