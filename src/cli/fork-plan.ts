// Owns how the preview of a fork is printed.

import type { ForkTable } from '../control/fork-table.ts';
import { usageText } from '../control/usage.ts';
import { wrap } from './help.ts';
import type { Shell } from './shell.ts';
import { oneLine, table } from './terminal.ts';

/** The table for people. */
export function forkLines(shell: Shell, { run, from, steps, askedAgain, asksFirst, passed, usedBefore }: ForkTable): string[] {
  const names = (list: readonly string[]): string => list.map((step) => `"${oneLine(step)}"`).join(', ');
  const effects = steps.filter(({ mayRepeatEffects }) => mayRepeatEffects).length;
  const notes = [
    'The fork may take other transitions than the original; steps it reaches that way are not in this table.',
    ...(effects === 0
      ? []
      : [`External effects may repeat at ${effects} of these steps: Pawl cannot know what a program or an agent does.`]),
    ...(askedAgain.length === 0 ? [] : [`Approvals are not reused: ${names(askedAgain)} will be requested again.`]),
    ...(asksFirst.length === 0 ? [] : [`The fork requests ${names(asksFirst)} first: approvals are not reused.`]),
    ...(passed.length === 0
      ? []
      : [
          `The fork does not repeat ${names(passed)}: it reuses the result in your name and ends "overridden". Fork from an earlier step to repeat it.`,
        ]),
    ...(usedBefore === null ? [] : [`Agents used ${usageText(usedBefore)} at the steps that run again; expect about the same.`]),
    'Budgets start at zero, loop counters continue, and preconditions are checked again.',
  ];
  return [
    `A fork of run ${run} that starts at "${oneLine(from)}":`,
    '',
    ...table(shell.look, [
      { title: 'STEP', cells: steps.map(({ path }) => oneLine(path)), shrinks: 'name' },
      { title: 'KIND', cells: steps.map(({ kind }) => kind) },
      { title: 'OUTCOME', cells: steps.map(({ outcome }) => oneLine(outcome ?? 'open')) },
      {
        title: 'IN THE FORK',
        cells: steps.map(({ inFork }) => (inFork === 'reused' ? 'reused' : 'runs again')),
        style: (cell) => shell.style(cell === 'reused' ? 'green' : 'yellow', cell),
      },
      { title: 'WHICH MEANS', cells: steps.map(({ means }) => means), shrinks: 'text' },
    ]),
    '',
    ...notes.flatMap((note) => (shell.look.isTerminal ? wrap(note, shell.look.columns) : [note])),
  ];
}
