// `pawl fork`: starts a new run that reuses the results of another run up to a step.

import type { Engine } from '../../api/engine.ts';
import { type ForkTable, readForkTable } from '../../control/fork-table.ts';
import type { Store } from '../../store/store.ts';
import type { CommandRun, ParsedArgs } from '../command.ts';
import { confirm } from '../decision/prompt.ts';
import { forkLines } from '../fork-plan.ts';
import { signingOf } from '../identity/signing.ts';
import { readOutputs, readParams, requiredOption } from '../params.ts';
import { demandRight } from '../right.ts';
import { type Place, withRun } from '../session.ts';
import type { Shell } from '../shell.ts';

const EXIT_NOT_CONFIRMED = 1;

/** Runs the command. */
export const run: CommandRun = async (shell, given) => {
  const from = requiredOption(given, 'from', `it names the first step of the fork; "pawl show ${given.word('RUN')}" shows the steps`);
  return withRun(shell, ({ place, store, id: original }) =>
    given.has('dry-run') ? showPlan(shell, place, { store, original, from }) : forkAndDrive(shell, given, { place, store, original, from }),
  );
};

interface ForkSource {
  readonly store: Store;
  readonly original: string;
  readonly from: string;
}

/** The table does not need the workflow's code. */
async function showPlan(shell: Shell, place: Place, { store, original, from }: ForkSource): Promise<number> {
  const { withEngine } = await import('../drive.ts');
  const use = async (engine: Engine): Promise<number> => {
    const plan = await readForkTable(engine, original, from);
    return shell.result({ plan }, () => forkLines(shell, plan));
  };
  return withEngine(shell, place, { store, workflows: [], use });
}

async function forkAndDrive(shell: Shell, given: ParsedArgs, forking: ForkSource & { readonly place: Place }): Promise<number> {
  const { place, store, original, from } = forking;
  const forked = await store.load(original);
  const [{ loadCurrentWorkflow }, { driveRun, driveWithEngine }] = await Promise.all([import('../load.ts'), import('../drive.ts')]);
  const { workflow } = await loadCurrentWorkflow(shell, place.project, forked);
  const params = readParams(shell, given, workflow.definition.params);
  const outputs = readOutputs(shell, given);
  const use = async (engine: Engine): Promise<number> => {
    const plan = await readForkTable(engine, original, from);
    if (plan.passed.length > 0) await demandRight(shell, { demand: 'override', on: 'pawl fork --from' });
    if (!(await isConfirmed(shell, given, plan))) return EXIT_NOT_CONFIRMED;
    const isSigned = forked.state.signed === true || place.settings.decisions === 'signed';
    const fork = await engine.run(original).fork({ from, params, outputs, ...signingOf(shell, { isSigned }) });
    shell.print(`Run ${fork.id} is a fork of ${original}.`);
    return driveRun(shell, { engine, run: fork.id, wait: false });
  };
  return driveWithEngine(shell, place, { store, workflows: [workflow], use });
}

/** A terminal shows what runs again and asks; a pipe cannot ask. */
async function isConfirmed(shell: Shell, given: ParsedArgs, plan: ForkTable): Promise<boolean> {
  if (!shell.isInteractive || given.has('yes')) return true;
  for (const line of [...forkLines(shell, plan), '']) shell.print(line);
  if (await confirm(shell, 'Fork?')) return true;
  shell.print('No fork was started.');
  return false;
}
