// `pawl show RUN`: prints the report of a run.

import type { Store } from '../../store/store.ts';
import type { CommandRun } from '../command.ts';
import { runReportLines } from '../run-report/lines.ts';
import { type RunReport, readRunReport, shownValues } from '../run-report/run-report.ts';
import { findPlace, findRun, openForRun, type Place } from '../session.ts';
import type { Shell } from '../shell.ts';

/** Runs the command. */
export const run: CommandRun = async (shell, given) => {
  const place = await findPlace(shell, given);
  const prefix = given.word('RUN');
  const store = await openForRun(place, prefix, 'look');
  try {
    const id = await findRun(store, prefix, place);
    if (given.has('output')) {
      const { output } = (await readRunReport(store, id, () => false)).run;
      shell.result({ output }, () => [JSON.stringify(output, null, 2)]);
      return 0;
    }
    const isWhole = shell.wantsJson || given.has('steps');
    const report = await withSignatures(shell, place, { store, report: await readRunReport(store, id, isWhole ? undefined : shownValues) });
    shell.result(report, () => runReportLines(shell, report, given.has('steps') ? 'full' : 'short'));
    return 0;
  } finally {
    await store.close();
  }
};

/** The report with its signatures verified; the code for that is only loaded if there are any. */
async function withSignatures(
  shell: Shell,
  place: Place,
  { store, report }: { readonly store: Store; readonly report: RunReport },
): Promise<RunReport> {
  if (report.decisions.every(({ signed }) => signed === null)) return report;
  const { withProvenSignatures } = await import('../trust/check-signatures.ts');
  return withProvenSignatures(shell, place, { store, report });
}
