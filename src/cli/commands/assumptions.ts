// `pawl assumptions [RUN]`: what agents assumed instead of asking, and how people answered. It reads the store alone.

import { type AssumptionReport, reportAll, reportRuns } from '../../control/assumption-report.ts';
import { readRunIds } from '../../engine/run-tree.ts';
import { assumptionLines } from '../assumptions.ts';
import type { CommandRun } from '../command.ts';
import { findPlace, findRun, openExisting, openForRun } from '../session.ts';

/** Runs the command. */
export const run: CommandRun = async (shell, given) => {
  const place = await findPlace(shell, given);
  const prefix = given.maybe('RUN');
  await using store = prefix === undefined ? await openExisting(place) : await openForRun(place, prefix, 'look');
  const isAll = given.has('all') || prefix !== undefined;
  const isShown = ({ state }: AssumptionReport): boolean => isAll || state === 'open';
  const found =
    store === undefined
      ? []
      : prefix === undefined
        ? await reportAll(store)
        : await reportRuns(store, await readRunIds(store, await findRun(store, prefix, place)));
  const shown = found.filter(isShown);
  return shell.result({ assumptions: shown }, () =>
    shown.length === 0 ? ['No assumption of an agent needs an answer.'] : assumptionLines(shell, shown),
  );
};
