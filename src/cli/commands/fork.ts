// `pawl fork`: starts a new run that reuses the results of another run up to a step.

import type { Engine } from '../../api/engine.ts';
import { readForkTable } from '../../control/fork-table.ts';
import type { ForkTable } from '../../control/schema/fork.ts';
import { usageText } from '../../control/usage.ts';
import type { Store } from '../../store/store.ts';
import type { CommandRun, ParsedArgs } from '../command.ts';
import { confirm } from '../decision/prompt.ts';
import { wrap } from '../help.ts';
import { signingOf } from '../identity/signing.ts';
import { readOutputs, readParams, requiredOption } from '../params.ts';
import { demandRight } from '../right.ts';
import { type Setup, withRun } from '../session.ts';
import type { Shell } from '../shell.ts';
import { oneLine, table } from '../terminal.ts';

const EXIT_NOT_CONFIRMED = 1;

/** Runs the command. */
export const run: CommandRun = async (shell, args) => {
  const from = requiredOption(args, 'from', `it names the first step of the fork; "pawl show ${args.word('RUN')}" shows the steps`);
  return withRun(shell, ({ setup, store, id: original }) =>
    args.has('dry-run') ? showPlan(shell, setup, { store, original, from }) : forkAndDrive(shell, args, { setup, store, original, from }),
  );
};

interface ForkSource {
  readonly store: Store;
  readonly original: string;
  readonly from: string;
}

/** Shows what would be reused and what would run again, which needs no code of the workflow. */
async function showPlan(shell: Shell, setup: Setup, { store, original, from }: ForkSource): Promise<number> {
  const { withEngine } = await import('../drive.ts');
  const use = async (engine: Engine): Promise<number> => {
    const plan = await readForkTable(engine, original, from);
    return shell.result({ plan }, () => forkLines(shell, plan));
  };
  return withEngine(shell, setup, { store, workflows: [], use });
}

async function forkAndDrive(shell: Shell, args: ParsedArgs, forking: ForkSource & { readonly setup: Setup }): Promise<number> {
  const { setup, store, original, from } = forking;
  const forked = await store.load(original);
  const [{ loadCurrentWorkflow }, { driveRun, driveWithEngine }] = await Promise.all([import('../load.ts'), import('../drive.ts')]);
  const { workflow } = await loadCurrentWorkflow(shell, setup.project, forked);
  const params = readParams(shell, args, workflow.definition.params);
  const outputs = readOutputs(shell, args);
  const use = async (engine: Engine): Promise<number> => {
    const plan = await readForkTable(engine, original, from);
    if (plan.passed.length > 0) await demandRight(shell, { demand: 'override', on: 'pawl fork --from' });
    if (!(await isConfirmed(shell, args, plan))) return EXIT_NOT_CONFIRMED;
    const isSigned = forked.state.signed === true || setup.settings.decisions === 'signed';
    const fork = await engine.run(original).fork({ from, params, outputs, ...signingOf(shell, { isSigned }) });
    shell.print(`Run ${fork.id} is a fork of ${original}.`);
    return driveRun(shell, { engine, run: fork.id, wait: false });
  };
  return driveWithEngine(shell, setup, { store, workflows: [workflow], use });
}

/** A terminal shows what runs again and asks; a pipe cannot ask. */
async function isConfirmed(shell: Shell, args: ParsedArgs, plan: ForkTable): Promise<boolean> {
  if (!shell.isInteractive || args.has('yes')) return true;
  for (const line of [...forkLines(shell, plan), '']) shell.print(line);
  if (await confirm(shell, 'Fork?')) return true;
  shell.print('No fork was started.');
  return false;
}

function forkLines(shell: Shell, { run, from, steps, askedAgain, asksFirst, passed, usedBefore }: ForkTable): string[] {
  const quoted = (list: readonly string[]): string => list.map((step) => `"${oneLine(step)}"`).join(', ');
  const effects = steps.filter(({ mayRepeatEffects }) => mayRepeatEffects).length;
  const notes = [
    'The fork may take other transitions than the original; steps it reaches that way are not in this table.',
    ...(effects === 0
      ? []
      : [`External effects may repeat at ${effects} of these steps: Pawl cannot know what a program or an agent does.`]),
    ...(askedAgain.length === 0 ? [] : [`Approvals are not reused: ${quoted(askedAgain)} will be requested again.`]),
    ...(asksFirst.length === 0 ? [] : [`The fork requests ${quoted(asksFirst)} first: approvals are not reused.`]),
    ...(passed.length === 0
      ? []
      : [
          `The fork does not repeat ${quoted(passed)}: it reuses the result in your name and ends "overridden". Fork from an earlier step to repeat it.`,
        ]),
    ...(usedBefore === null ? [] : [`Agents used ${usageText(usedBefore)} at the steps that run again; expect about the same.`]),
    'Budgets start at zero, loop counters continue, and preconditions are checked again.',
  ];
  return [
    `A fork of run ${run} that starts at "${oneLine(from)}":`,
    '',
    ...table(shell.display, [
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
    ...notes.flatMap((note) => (shell.display.isTerminal ? wrap(note, shell.display.columns) : [note])),
  ];
}
