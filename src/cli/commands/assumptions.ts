// `pawl assumptions [RUN]`: what agents assumed instead of asking, and how people answered.

import { reportAll, reportRuns } from '../../control/assumption-report.ts';
import type { AssumptionReport } from '../../control/schema/run.ts';
import { readRunIds } from '../../engine/run-tree.ts';
import type { Store } from '../../store/store.ts';
import { assumptionLines } from '../assumptions.ts';
import type { CommandRun } from '../command.ts';
import { findRun, findSetup, openExisting, type Setup } from '../session.ts';

/** Runs the command. */
export const run: CommandRun = async (shell, args) => {
  const setup = await findSetup(shell, args);
  const prefix = args.maybe('RUN');
  await using store = await openExisting(setup, prefix);
  const all = store === undefined ? [] : await readReports(store, setup, prefix);
  const shown = args.has('all') || prefix !== undefined ? all : all.filter(({ state }) => state === 'open');
  return shell.result({ assumptions: shown }, () =>
    shown.length === 0 ? ['No assumption of an agent needs an answer.'] : assumptionLines(shell, shown),
  );
};

async function readReports(store: Store, setup: Setup, prefix: string | undefined): Promise<readonly AssumptionReport[]> {
  if (prefix === undefined) return reportAll(store);
  return reportRuns(store, await readRunIds(store, await findRun(store, prefix, setup)));
}
