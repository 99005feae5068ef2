// `pawl pause`: starts no new steps of a run until it is resumed. If another process drives the run, that process applies
// the pause; otherwise the workflow's code is needed.

import type { Engine } from '../../api/engine.ts';
import { readRunReport } from '../../control/run/report.ts';
import { userActor } from '../actor.ts';
import type { CommandRun } from '../command.ts';
import { driveWithEngine } from '../drive.ts';
import { workflowsToDrive } from '../load.ts';
import { demandControl } from '../right.ts';
import { withRun } from '../session.ts';

/** Runs the command. */
export const run: CommandRun = (shell) =>
  withRun(shell, async ({ setup, store, id }) => {
    await demandControl(shell, { store, id }, 'pawl pause');
    const workflows = await workflowsToDrive(shell, setup.project, await store.load(id));
    const use = async (engine: Engine): Promise<number> => {
      await engine.run(id).pause({ actor: userActor(shell) });
      return shell.result(await readRunReport(store, id), () => [
        `run ${id} is paused: running steps finish, no new steps start; continue it with`,
        `    ${shell.style('cyan', `pawl resume ${id}`)}`,
      ]);
    };
    return driveWithEngine(shell, setup, { store, workflows, use });
  });
