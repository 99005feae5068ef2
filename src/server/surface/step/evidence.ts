// Owns the short form of a step's evidence: the verdicts of its checks, its error, or who decided it. Results of agents are not
// shown: they can contain anything.

import type { DecisionReport, StepReport } from '../../../control/schema/run.ts';
import { reportedError, verdictsOf } from '../../../control/verdicts.ts';
import type { RunStatus } from '../../../definition/run-status.ts';

const MARKS: Readonly<Record<RunStatus | StepReport['status'], string>> = {
  ...{ completed: '✅', overridden: '✅', failed: '❌', rejected: '❌', escalated: '⚠️', cancelled: '⏹️', skipped: '⏭️' },
  ...{ pending: '▫️', running: '🔄', waiting: '⏳', verifying: '🔄', queued: '⏳', unknown: '❓' },
};

/** The mark of a status. */
export function markOf(status: RunStatus | StepReport['status']): string {
  return MARKS[status];
}

/** The evidence of an attempt of a step on one line. */
export function evidenceOf(step: StepReport, all: readonly StepReport[], decided?: DecisionReport): string {
  const verdicts = verdictsOf(step);
  const failing = verdicts.find(({ passed }) => passed === false) ?? verdicts.find(({ passed }) => passed === null);
  const why = step.rejection ?? step.error ?? reportedError(step);
  const stale = step.staleSince === undefined ? [] : ['the files have changed since'];
  const parts = [
    ...(verdicts.length === 0 ? [] : [`${verdicts.filter(({ passed }) => passed === true).length} of ${verdicts.length} checks passed`]),
    ...(failing === undefined ? [] : [`${failing.name}: ${failing.error ?? (failing.passed === false ? 'failed' : 'no verdict')}`]),
    ...(why === null || failing !== undefined ? [] : [why]),
    ...(decided === undefined ? [] : [`"${decided.option}" by ${decided.actor}`]),
    ...membersText(step, all),
    ...stale,
  ];
  return parts.join('; ');
}

function membersText({ path }: StepReport, all: readonly StepReport[]): string[] {
  const members = new Map(all.filter(({ group }) => group === path).map((member) => [member.key, member]));
  if (members.size === 0) return [];
  const done = [...members.values()].filter(({ status }) => status === 'completed').length;
  return [`${done} of ${members.size} parts completed`];
}
