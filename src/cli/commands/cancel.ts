// `pawl cancel`: ends a run for good. The workflow's code is only loaded if child runs have to be ended too; if it cannot
// be loaded, the run is cancelled without it.

import { messageOf } from '../../base/error.ts';
import type { CompiledWorkflow } from '../../definition/code.ts';
import { childOf } from '../../kernel/activation.ts';
import { isFinal } from '../../kernel/run-state.ts';
import { isDead } from '../../process/owner.ts';
import type { Store } from '../../store/store.ts';
import { userActor } from '../actor.ts';
import type { CommandRun } from '../command.ts';
import { driveWithEngine } from '../drive.ts';
import { demandSteering } from '../right.ts';
import { readRunReport } from '../run-report/run-report.ts';
import { findPlace, findRun, openForRun, type Place } from '../session.ts';
import type { Shell } from '../shell.ts';
import { oneLine } from '../terminal.ts';

/** Runs the command. */
export const run: CommandRun = async (shell, given) => {
  const place = await findPlace(shell, given);
  const prefix = given.word('RUN');
  const store = await openForRun(place, prefix);
  try {
    const id = await findRun(store, prefix, place);
    await demandSteering(shell, store, { run: id, on: 'pawl cancel' });
    const workflows = await workflowsFor(shell, place, { store, run: id });
    const reason = given.option('reason');
    return await driveWithEngine(shell, place, {
      store,
      workflows,
      use: async (engine) => {
        const { status } = await engine.run(id).cancel({ actor: userActor(shell), ...(reason === undefined ? {} : { reason }) });
        if (!isFinal(status)) await engine.run(id).waitOnly('settled');
        shell.result(await readRunReport(store, id), () => [`run ${id} is cancelled; details: pawl show ${id}`]);
        return 0;
      },
    });
  } finally {
    await store.close();
  }
};

/** The workflow of a run that no process drives and that has child runs: it has to handle their ends. */
async function workflowsFor(
  shell: Shell,
  place: Place,
  { store, run: id }: { readonly store: Store; readonly run: string },
): Promise<readonly CompiledWorkflow[]> {
  const frozen = await store.load(id);
  const { state, owner } = frozen;
  const isDriven = owner !== undefined && !isDead(owner);
  if (isDriven || isFinal(state.status) || !Object.values(state.live).some((activation) => childOf(activation) !== undefined)) return [];
  const { loadWorkflowOf } = await import('../load.ts');
  try {
    return [(await loadWorkflowOf(shell, place.project, frozen)).workflow];
  } catch (error) {
    shell.warn(`cancelling without the workflow's code: ${oneLine(messageOf(error))}`);
    return [];
  }
}
