// `pawl decide`: a person decides an approval by the label of an option; at a terminal the command asks for it.

import { EngineError } from '../../base/error.ts';
import type { OpenApproval } from '../../engine/request/approvals.ts';
import type { CommandRun } from '../command.ts';
import { decideByCommand } from '../decision/decide-by-command.ts';
import { optionNamed } from '../decision/decision.ts';

/** Runs the command. */
export const run: CommandRun = (shell, given) => {
  const label = given.option('option');
  if (label !== undefined) return decideByCommand(shell, given, (gate) => optionNamed(gate, label));
  return decideByCommand(shell, given, shell.isInteractive ? undefined : missing);
};

function missing(gate: OpenApproval): never {
  const labels = gate.question.options.map((option) => `"${option.label}"`).join(', ');
  throw new EngineError('USAGE', `--option is missing; the options of approval "${gate.step}" are ${labels}`);
}
