// `pawl pause`: starts no new steps of a run until it is resumed. If another process drives the run, that process applies
// the pause; otherwise the workflow's code is needed.

import { isFinal } from '../../kernel/run-state.ts';
import { isDead } from '../../process/owner.ts';
import { userActor } from '../actor.ts';
import type { CommandRun } from '../command.ts';
import { driveWithEngine } from '../drive.ts';
import { demandSteering } from '../right.ts';
import { readRunReport } from '../run-report/run-report.ts';
import { findPlace, findRun, openForRun } from '../session.ts';

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
        shell.result(await readRunReport(store, id), () => [
          `run ${id} is paused: running steps finish, no new steps start; continue it with`,
          `    ${shell.style('cyan', `pawl resume ${id}`)}`,
        ]);
        return 0;
      },
    });
  } finally {
    await store.close();
  }
};
