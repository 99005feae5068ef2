// `pawl assumptions [RUN]`: what agents assumed instead of asking, and how people answered.

import { reportAll, reportRuns } from '../../control/assumption-report.ts';
import type { AssumptionReport } from '../../control/schema/run.ts';
import { readRunIds } from '../../engine/run-tree.ts';
import type { Store } from '../../store/store.ts';
import { assumptionLines } from '../assumptions.ts';
import type { CommandRun } from '../command.ts';
import { findPlace, findRun, openExisting, type Place } from '../session.ts';

/** Runs the command. */
export const run: CommandRun = async (shell, given) => {
  const place = await findPlace(shell, given);
  const prefix = given.maybe('RUN');
  await using store = await openExisting(place, prefix);
  const all = store === undefined ? [] : await readReports(store, place, prefix);
  const shown = given.has('all') || prefix !== undefined ? all : all.filter(({ state }) => state === 'open');
  return shell.result({ assumptions: shown }, () =>
    shown.length === 0 ? ['No assumption of an agent needs an answer.'] : assumptionLines(shell, shown),
  );
};

async function readReports(store: Store, place: Place, prefix: string | undefined): Promise<readonly AssumptionReport[]> {
  if (prefix === undefined) return reportAll(store);
  return reportRuns(store, await readRunIds(store, await findRun(store, prefix, place)));
}
