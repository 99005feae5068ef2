// `pawl show [RUN]`: prints the report of a run.

import { readRunReport, shownValues } from '../../control/run/report.ts';
import type { CommandRun } from '../command.ts';
import { completeReport } from '../run-report/complete.ts';
import { runReportLines } from '../run-report/lines.ts';
import { withShownRun } from '../session.ts';

/** Runs the command. */
export const run: CommandRun = (shell, args) =>
  withShownRun(shell, async ({ setup, store, id }) => {
    if (args.has('output')) {
      const { output } = (await readRunReport(store, id, () => false)).run;
      return shell.result({ output }, () => [JSON.stringify(output, null, 2)]);
    }
    const isWhole = shell.wantsJson || args.has('steps');
    const report = await completeReport(shell, setup, { store, report: await readRunReport(store, id, isWhole ? undefined : shownValues) });
    return shell.result(report, () => runReportLines(shell, report, args.has('steps') ? 'full' : 'short'));
  });
