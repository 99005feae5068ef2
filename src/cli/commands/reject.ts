// `pawl reject`: decides with the option that rejects.

import { optionFor } from '../../control/verdict-option.ts';
import type { CommandRun } from '../command.ts';
import { decideByCommand } from '../decision/decide-by-command.ts';

/** Runs the command. */
export const run: CommandRun = (shell, given) => decideByCommand(shell, given, (gate, definition) => optionFor('reject', gate, definition));
