// `pawl cancel`: ends a run for good. The code of its workflow is loaded only when it has to see runs below it to their
// end, and it is cancelled without when the code is gone.

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
import { findPlace, findRun, openForRun, type Place } from '../session.ts';
import type { Shell } from '../shell.ts';
import { readStory } from '../story/story.ts';
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
        shell.result(await readStory(store, id), () => [`run ${id} is cancelled; its story: pawl show ${id}`]);
        return 0;
      },
    });
  } finally {
    await store.close();
  }
};

/** The workflow of a run that nobody drives and that has started others: their ends have to be handed to it. */
async function workflowsFor(
  shell: Shell,
  place: Place,
  { store, run: id }: { readonly store: Store; readonly run: string },
): Promise<readonly CompiledWorkflow[]> {
  const frozen = await store.load(id);
  const { state, owner } = frozen;
  const isHeld = owner !== undefined && !isDead(owner);
  if (isHeld || isFinal(state.status) || !Object.values(state.live).some((activation) => childOf(activation) !== undefined)) return [];
  const { loadWorkflowOf } = await import('../load.ts');
  try {
    return [(await loadWorkflowOf(shell, place.project, frozen)).workflow];
  } catch (error) {
    shell.warn(`cancelling without the code of the workflow: ${oneLine(messageOf(error))}`);
    return [];
  }
}
