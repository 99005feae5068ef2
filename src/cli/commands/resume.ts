// `pawl resume`: continues a run after a crash or a pause, or after an escalation with a person's choice.

import { EngineError } from '../../base/error.ts';
import { present } from '../../base/fields.ts';
import type { ResumeChoice } from '../../engine/resume.ts';
import { isFinal, isHalted } from '../../kernel/run-state.ts';
import type { CommandRun, ParsedArgs } from '../command.ts';
import { reportEnd } from '../drive.ts';
import { readJson } from '../params.ts';
import { budgetOf } from '../resumption/budget.ts';
import { countOf, resumeAndDrive } from '../resumption/resumption.ts';
import { demandRight } from '../right.ts';
import { withRun } from '../session.ts';
import type { Shell } from '../shell.ts';

/** Runs the command. */
export const run: CommandRun = async (shell, given) => {
  const choice = choiceOf(shell, given);
  const budget = budgetOf(given.options('budget'));
  return withRun(shell, async ({ place, store, id }) => {
    const { state } = await store.load(id);
    const needsChoice = choice === undefined && budget === undefined && isHalted(state.status) && !isFinal(state.status);
    if (needsChoice && !shell.isInteractive) return reportEnd(shell, store, { run: id, interrupted: false });
    const { askChoice } = await import('../resumption/prompt.ts');
    if (needsChoice) await demandRight(shell, { demand: 'override', on: 'pawl resume' });
    const chosen = needsChoice ? await askChoice(shell, state) : choice;
    if (chosen === 'leave') return reportEnd(shell, store, { run: id, interrupted: false });
    return resumeAndDrive(shell, { place, store, run: id, given, ...present({ choice: chosen, budget }) });
  });
};

const CHOICES = ['retry', 'accept', 'to', 'rerun', 'done', 'failed'] as const;

function choiceOf(shell: Shell, given: ParsedArgs): ResumeChoice | undefined {
  const chosen = CHOICES.filter((name) => given.has(name) || given.option(name) !== undefined);
  const [way, other] = chosen;
  if (other !== undefined) throw new EngineError('USAGE', `--${way} and --${other} cannot be combined; choose one`);
  const takes = (name: string, allowed: readonly string[]): void => {
    if (given.option(name) !== undefined && !allowed.includes(way ?? ''))
      throw new EngineError('USAGE', `--${name} is only valid with ${allowed.map((one) => `--${one}`).join(' or ')}`);
  };
  takes('output', ['accept', 'done']);
  takes('extend', ['retry']);
  takes('note', CHOICES);
  if (way === undefined) return undefined;
  const note = present({ note: given.option('note') });
  const json = given.option('output');
  const output = json === undefined ? {} : { output: readJson(shell, json, '--output') };
  if (way === 'retry') return { how: 'retry', ...note, ...countOf(given, 'extend') };
  if (way === 'accept') return { how: 'accept', ...note, ...output };
  if (way === 'to') return { how: 'goto', step: given.option('to') ?? '', ...note };
  return { how: way, path: given.option(way) ?? '', ...note, ...output };
}
