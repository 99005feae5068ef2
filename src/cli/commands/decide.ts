// `pawl decide`, `pawl approve` and `pawl reject`: a person decides an approval by choosing an option; a terminal asks for it.

import { optionFor } from '../../control/verdict-option.ts';
import type { OpenApproval } from '../../engine/request/approvals.ts';
import { type CommandRun, usageError } from '../command.ts';
import { decideByCommand } from '../decision/decide-by-command.ts';
import { optionNamed } from '../decision/decision.ts';

/** Runs `pawl decide`. */
export const run: CommandRun = (shell, args) => {
  const label = args.option('option');
  if (label !== undefined) return decideByCommand(shell, args, (approval) => optionNamed(approval, label));
  return decideByCommand(shell, args, shell.isInteractive ? undefined : rejectMissingOption);
};

/** Runs `pawl approve`. */
export const approve: CommandRun = (shell, args) =>
  decideByCommand(shell, args, (approval, definition) => optionFor('approve', approval, definition));

/** Runs `pawl reject`. */
export const reject: CommandRun = (shell, args) =>
  decideByCommand(shell, args, (approval, definition) => optionFor('reject', approval, definition));

function rejectMissingOption(approval: OpenApproval): never {
  const labels = approval.question.options.map((option) => `"${option.label}"`).join(', ');
  throw usageError(`--option is missing; the options of approval "${approval.step}" are ${labels}`);
}
