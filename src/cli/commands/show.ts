// `pawl show [RUN]`: prints the report of a run.

import { isFinal } from '../../kernel/run-state.ts';
import type { Store } from '../../store/store.ts';
import type { CommandRun } from '../command.ts';
import { readDefinitionChange } from '../run-report/definition-change.ts';
import { runReportLines } from '../run-report/lines.ts';
import { type RunReport, readRunReport, shownValues } from '../run-report/run-report.ts';
import { type Place, withShownRun } from '../session.ts';
import type { Shell } from '../shell.ts';

/** Runs the command. */
export const run: CommandRun = (shell, given) =>
  withShownRun(shell, async ({ place, store, id }) => {
    if (given.has('output')) {
      const { output } = (await readRunReport(store, id, () => false)).run;
      return shell.result({ output }, () => [JSON.stringify(output, null, 2)]);
    }
    const isWhole = shell.wantsJson || given.has('steps');
    const read = await withChange(place, store, await readRunReport(store, id, isWhole ? undefined : shownValues));
    const report = await withSignatures(shell, place, { store, report: read });
    return shell.result(report, () => runReportLines(shell, report, given.has('steps') ? 'full' : 'short'));
  });

/** The report of an open run with how its workflow file has changed since it started. */
async function withChange({ project }: Place, store: Store, report: RunReport): Promise<RunReport> {
  if (isFinal(report.run.status)) return report;
  const change = await readDefinitionChange(project, report.run, async () => (await store.load(report.run.id)).definition);
  return change === null ? report : { ...report, definitionChange: change };
}

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
