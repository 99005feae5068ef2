// `pawl resume`: continues a run after a crash or a pause, or after an escalation with a person's choice.

import { present } from '../../base/fields.ts';
import { type ChoiceParts, choicesOf } from '../../control/resume-choice.ts';
import { isFinal, isHalted } from '../../definition/run-status.ts';
import type { CommandRun, ParsedArgs } from '../command.ts';
import { reportEnd } from '../drive.ts';
import { readJson } from '../params.ts';
import { budgetOf } from '../resumption/budget.ts';
import { extendOf, resumeAndDrive } from '../resumption/resumption.ts';
import { demandRight } from '../right.ts';
import { withRun } from '../session.ts';
import type { Shell } from '../shell.ts';

/** Runs the command. */
export const run: CommandRun = async (shell, given) => {
  const choices = choicesOf(partsOf(shell, given), (part) => `--${part}`);
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

function partsOf(shell: Shell, given: ParsedArgs): ChoiceParts {
  const json = given.option('output');
  return {
    ...{ retry: given.has('retry'), accept: given.has('accept'), to: given.option('to') },
    ...{ rerun: given.options('rerun'), done: given.options('done'), failed: given.options('failed') },
    ...extendOf(given),
    ...present({ note: given.option('note'), output: json === undefined ? undefined : readJson(shell, json, '--output') }),
  };
}
