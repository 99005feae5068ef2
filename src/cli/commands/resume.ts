// `pawl resume`: continues a run after a crash or a pause, or after an escalation with a person's choice.

import { EngineError } from '../../base/error.ts';
import type { ResumeChoice } from '../../engine/resume.ts';
import { isFinal, isHalted } from '../../kernel/run-state.ts';
import type { CommandRun, ParsedArgs } from '../command.ts';
import { reportEnd } from '../drive.ts';
import { readJson } from '../params.ts';
import { budgetOf } from '../resumption/budget.ts';
import { countOf, resumeAndDrive } from '../resumption/resumption.ts';
import { demandRight } from '../right.ts';
import { findPlace, findRun, openForRun } from '../session.ts';
import type { Shell } from '../shell.ts';

/** Runs the command. */
export const run: CommandRun = async (shell, given) => {
  const choice = choiceOf(shell, given);
  const budget = budgetOf(given.options('budget'));
  const place = await findPlace(shell, given);
  const prefix = given.word('RUN');
  const store = await openForRun(place, prefix);
  try {
    const id = await findRun(store, prefix, place);
    const { state } = await store.load(id);
    const needsChoice = choice === undefined && budget === undefined && isHalted(state.status) && !isFinal(state.status);
    if (needsChoice && !shell.isInteractive) return await reportEnd(shell, store, { run: id, interrupted: false });
    const { askChoice } = await import('../resumption/prompt.ts');
    if (needsChoice) await demandRight(shell, { demand: 'override', on: 'pawl resume' });
    const chosen = needsChoice ? await askChoice(shell, state) : choice;
    if (chosen === 'leave') return await reportEnd(shell, store, { run: id, interrupted: false });
    return await resumeAndDrive(shell, {
      place,
      store,
      run: id,
      given,
      ...(chosen === undefined ? {} : { choice: chosen }),
      ...(budget === undefined ? {} : { budget }),
    });
  } finally {
    await store.close();
  }
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
  const text = given.option('note');
  const note = text === undefined ? {} : { note: text };
  const json = given.option('output');
  const output = json === undefined ? {} : { output: readJson(shell, json, '--output') };
  if (way === 'retry') return { how: 'retry', ...note, ...countOf(given, 'extend') };
  if (way === 'accept') return { how: 'accept', ...note, ...output };
  if (way === 'to') return { how: 'goto', step: given.option('to') ?? '', ...note };
  return { how: way, path: given.option(way) ?? '', ...note, ...output };
}
