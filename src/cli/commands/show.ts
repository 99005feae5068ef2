// `pawl show [RUN]`: prints the report of a run.

import { readRunReport, shownValues } from '../../control/run/report.ts';
import type { CommandRun } from '../command.ts';
import { completeReport } from '../run-report/complete.ts';
import { runReportLines } from '../run-report/lines.ts';
import { withShownRun } from '../session.ts';

/** Runs the command. */
export const run: CommandRun = (shell, given) =>
  withShownRun(shell, async ({ place, store, id }) => {
    if (given.has('output')) {
      const { output } = (await readRunReport(store, id, () => false)).run;
      return shell.result({ output }, () => [JSON.stringify(output, null, 2)]);
    }
    const isWhole = shell.wantsJson || given.has('steps');
    const report = await completeReport(shell, place, { store, report: await readRunReport(store, id, isWhole ? undefined : shownValues) });
    return shell.result(report, () => runReportLines(shell, report, given.has('steps') ? 'full' : 'short'));
  });
