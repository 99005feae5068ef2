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
  const choices = choicesOf(shell, given);
  const budget = budgetOf(given.options('budget'));
  return withRun(shell, async ({ place, store, id }) => {
    const { state } = await store.load(id);
    const needsChoice = choices.length === 0 && budget === undefined && isHalted(state.status) && !isFinal(state.status);
    if (needsChoice && !shell.isInteractive) return reportEnd(shell, store, { run: id, interrupted: false });
    const { askChoice } = await import('../resumption/prompt.ts');
    if (needsChoice) await demandRight(shell, { demand: 'override', on: 'pawl resume' });
    const asked = needsChoice ? await askChoice(shell, state) : undefined;
    if (asked === 'leave') return reportEnd(shell, store, { run: id, interrupted: false });
    return resumeAndDrive(shell, {
      place,
      store,
      run: id,
      given,
      choices: asked === undefined ? choices : [asked],
      ...present({ budget }),
    });
  });
};

const CHOICES = ['retry', 'accept', 'to', 'rerun', 'done', 'failed'] as const;
/** Choices for steps of unknown outcome: each names its step, so there may be several. */
const SETTLES = ['rerun', 'done', 'failed'] as const;

function choicesOf(shell: Shell, given: ParsedArgs): readonly ResumeChoice[] {
  const ways = CHOICES.filter((name) => given.has(name) || given.option(name) !== undefined);
  const [way, other] = ways;
  const settled = SETTLES.flatMap((how) => given.options(how).map((path) => ({ how, path })));
  if (other !== undefined && !ways.every((name) => isSettling(name)))
    throw new EngineError('USAGE', `--${way} and --${other} cannot be combined; choose one`);
  const takes = (name: string, allowed: readonly string[]): void => {
    if (given.option(name) !== undefined && !allowed.includes(way ?? ''))
      throw new EngineError('USAGE', `--${name} is only valid with ${allowed.map((one) => `--${one}`).join(' or ')}`);
  };
  takes('output', ['accept', 'done']);
  takes('extend', ['retry']);
  takes('note', CHOICES);
  const json = given.option('output');
  if (json !== undefined && settled.length > 1)
    throw new EngineError('USAGE', '--output is the result of one step; settle that step with a command of its own');
  const note = present({ note: given.option('note') });
  const output = json === undefined ? {} : { output: readJson(shell, json, '--output') };
  if (way === 'retry') return [{ how: 'retry', ...note, ...countOf(given, 'extend') }];
  if (way === 'accept') return [{ how: 'accept', ...note, ...output }];
  if (way === 'to') return [{ how: 'goto', step: given.option('to') ?? '', ...note }];
  return settled.map((one) => ({ ...one, ...note, ...output }));
}

function isSettling(name: string): boolean {
  return SETTLES.some((one) => one === name);
}
