// `pawl resume` and `pawl retry`: continue a run after a crash or a pause, or after an escalation by a person's choice.

import { present } from '../../base/fields.ts';
import { assertStoppedAt, type ChoiceParts, choicesOf } from '../../control/resume-choice.ts';
import { isFinal, isHalted } from '../../definition/run-status.ts';
import type { CommandRun, ParsedArgs } from '../command.ts';
import { reportEnd } from '../drive.ts';
import { readJson } from '../params.ts';
import { budgetOf } from '../resumption/budget.ts';
import { extendOf, resumeAndDrive } from '../resumption/resumption.ts';
import { demandRight } from '../right.ts';
import { withRun } from '../session.ts';
import type { Shell } from '../shell.ts';

/** Runs `pawl resume`. */
export const run: CommandRun = async (shell, given) => {
  const choices = choicesOf(partsOf(shell, given), (part) => `--${part}`);
  const budget = budgetOf(given.options('budget'));
  return withRun(shell, async ({ place, store, id }) => {
    const { state } = await store.load(id);
    const needsChoice = choices.length === 0 && budget === undefined && isHalted(state.status) && !isFinal(state.status);
    if (needsChoice && !shell.isInteractive) return reportEnd(shell, { store, run: id });
    const { askChoice } = await import('../resumption/prompt.ts');
    if (needsChoice) await demandRight(shell, { demand: 'override', on: 'pawl resume' });
    const asked = needsChoice ? await askChoice(shell, state) : undefined;
    if (asked === 'leave') return reportEnd(shell, { store, run: id });
    const chosen = asked === undefined ? choices : [asked];
    return resumeAndDrive(shell, { place, store, run: id, given, choices: chosen, ...present({ budget }) });
  });
};

/** Runs `pawl retry`. */
export const retry: CommandRun = (shell, given) =>
  withRun(shell, async ({ place, store, id }) => {
    assertStoppedAt((await store.load(id)).state, given.maybe('STEP'));
    const choice = { how: 'retry' as const, ...present({ note: given.option('note') }), ...extendOf(given) };
    return resumeAndDrive(shell, { place, store, run: id, given, choices: [choice] });
  });

function partsOf(shell: Shell, given: ParsedArgs): ChoiceParts {
  const json = given.option('output');
  return {
    ...{ retry: given.has('retry'), accept: given.has('accept'), to: given.option('to') },
    ...{ rerun: given.options('rerun'), done: given.options('done'), failed: given.options('failed') },
    ...extendOf(given),
    ...present({ note: given.option('note'), output: json === undefined ? undefined : readJson(shell, json, '--output') }),
  };
}
