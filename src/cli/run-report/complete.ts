// Owns what only the project knows about a run: how its workflow file has changed since the run started, and whether the
// signatures in its log hold.

import type { RunReport } from '../../control/run-report.ts';
import { isFinal } from '../../definition/run-status.ts';
import type { Store } from '../../store/store.ts';
import type { Place } from '../session.ts';
import type { Shell } from '../shell.ts';
import { readDefinitionChange } from './definition-change.ts';

/** The report of a run, completed. */
export async function completeReport(
  shell: Shell,
  place: Place,
  { store, report }: { readonly store: Store; readonly report: RunReport },
): Promise<RunReport> {
  return withSignatures(shell, place, { store, report: await withChange(place, store, report) });
}

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
