// `pawl decide`: a person decides an approval by choosing an option; a terminal asks for it.

import { EngineError } from '../../base/error.ts';
import type { OpenApproval } from '../../engine/request/approvals.ts';
import type { CommandRun } from '../command.ts';
import { optionNamed } from '../decision/decision.ts';
import { decideByCommand } from '../decision/make.ts';

/** Runs the command. */
export const run: CommandRun = (shell, given) => {
  const label = given.option('option');
  if (label !== undefined) return decideByCommand(shell, given, (gate) => optionNamed(gate, label));
  return decideByCommand(shell, given, shell.isInteractive ? undefined : rejectMissingOption);
};

function rejectMissingOption(gate: OpenApproval): never {
  const labels = gate.question.options.map((option) => `"${option.label}"`).join(', ');
  throw new EngineError('USAGE', `--option is missing; the options of approval "${gate.step}" are ${labels}`);
}
