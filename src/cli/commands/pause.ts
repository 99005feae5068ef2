// `pawl pause`: lets a run begin nothing new until it is resumed. When another process drives the run that process takes
// the pause; only a run that nobody drives needs its code for that.

import { isFinal } from '../../kernel/run-state.ts';
import { isDead } from '../../process/owner.ts';
import { userActor } from '../actor.ts';
import type { CommandRun } from '../command.ts';
import { driveWithEngine } from '../drive.ts';
import { demandSteering } from '../right.ts';
import { findPlace, findRun, openForRun } from '../session.ts';
import { readStory } from '../story/story.ts';

/** Runs the command. */
export const run: CommandRun = async (shell, given) => {
  const place = await findPlace(shell, given);
  const prefix = given.word('RUN');
  const store = await openForRun(place, prefix);
  try {
    const id = await findRun(store, prefix, place);
    await demandSteering(shell, store, { run: id, on: 'pawl pause' });
    const frozen = await store.load(id);
    const { state, owner } = frozen;
    const needsCode = !isFinal(state.status) && (owner === undefined || isDead(owner));
    const { loadWorkflowOf } = await import('../load.ts');
    const workflows = needsCode ? [(await loadWorkflowOf(shell, place.project, frozen)).workflow] : [];
    return await driveWithEngine(shell, place, {
      store,
      workflows,
      use: async (engine) => {
        await engine.run(id).pause({ actor: userActor(shell) });
        shell.result(await readStory(store, id), () => [
          `run ${id} is paused: what is under way ends, nothing new begins; it goes on with`,
          `    ${shell.style('cyan', `pawl resume ${id}`)}`,
        ]);
        return 0;
      },
    });
  } finally {
    await store.close();
  }
};
