// `pawl cancel`: ends a run for good. The workflow's code is only loaded if child runs have to be ended too; if it cannot
// be loaded, the run is cancelled without it.

import type { Engine } from '../../api/engine.ts';
import { messageOf } from '../../base/error.ts';
import { present } from '../../base/fields.ts';
import type { CompiledWorkflow } from '../../definition/code.ts';
import { childOf } from '../../kernel/activation.ts';
import { isFinal } from '../../kernel/run-state.ts';
import { isDriven } from '../../process/owner.ts';
import { userActor } from '../actor.ts';
import type { CommandRun } from '../command.ts';
import { driveWithEngine } from '../drive.ts';
import { demandSteering } from '../right.ts';
import { readRunReport } from '../run-report/run-report.ts';
import { type OpenRun, withRun } from '../session.ts';
import type { Shell } from '../shell.ts';
import { oneLine } from '../terminal.ts';

/** Runs the command. */
export const run: CommandRun = (shell, given) =>
  withRun(shell, async ({ place, store, id }) => {
    await demandSteering(shell, store, { run: id, on: 'pawl cancel' });
    const workflows = await workflowsFor(shell, { place, store, id });
    const use = async (engine: Engine): Promise<number> => {
      const { status } = await engine.run(id).cancel({ actor: userActor(shell), ...present({ reason: given.option('reason') }) });
      if (!isFinal(status)) await engine.run(id).waitOnly('settled');
      return shell.result(await readRunReport(store, id), () => [`run ${id} is cancelled; details: pawl show ${id}`]);
    };
    return driveWithEngine(shell, place, { store, workflows, use });
  });

/** The workflow of a run that no process drives and that has child runs: it has to handle their ends. */
async function workflowsFor(shell: Shell, { place, store, id }: OpenRun): Promise<readonly CompiledWorkflow[]> {
  const frozen = await store.load(id);
  const { state, owner } = frozen;
  if (isDriven(owner) || isFinal(state.status) || !Object.values(state.live).some((activation) => childOf(activation) !== undefined))
    return [];
  const { loadWorkflowOf } = await import('../load.ts');
  try {
    return [(await loadWorkflowOf(shell, place.project, frozen)).workflow];
  } catch (error) {
    shell.warn(`cancelling without the workflow's code: ${oneLine(messageOf(error))}`);
    return [];
  }
}
