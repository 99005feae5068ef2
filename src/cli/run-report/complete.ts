// Completes the report of a run with facts of its project: how the workflow file has changed since the run started, and
// whether the signatures in the log are valid.

import type { RunReport } from '../../control/schema/run.ts';
import { isFinal } from '../../definition/run-status.ts';
import type { Store } from '../../store/store.ts';
import type { Setup } from '../session.ts';
import type { Shell } from '../shell.ts';
import { readDefinitionChange } from './definition-change.ts';

/** The report of a run with the facts of its project. */
export async function completeReport(
  shell: Shell,
  setup: Setup,
  { store, report }: { readonly store: Store; readonly report: RunReport },
): Promise<RunReport> {
  const changed = await withChange(setup, store, report);
  if (report.decisions.every(({ signed }) => signed === null)) return changed;
  const { verifySignatures } = await import('../trust/check-signatures.ts');
  return verifySignatures(shell, setup, { store, report: changed });
}

async function withChange({ project }: Setup, store: Store, report: RunReport): Promise<RunReport> {
  if (isFinal(report.run.status)) return report;
  const change = await readDefinitionChange(project, report.run, async () => (await store.load(report.run.id)).definition);
  return change === null ? report : { ...report, definitionChange: change };
}
