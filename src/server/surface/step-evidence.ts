// Owns what the evidence of a step is in short: the verdicts of its checks, its error, or who decided it. Results of agents are
// not shown: they can hold anything.

import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import type { DecisionReport } from '../../control/history.ts';
import type { StepReport } from '../../control/run-report.ts';

const MARKS: Readonly<Record<string, string>> = {
  ...{ completed: '✅', overridden: '✅', failed: '❌', rejected: '❌', escalated: '⚠️', cancelled: '⏹️', skipped: '⏭️' },
  ...{ pending: '▫️', running: '🔄', waiting: '⏳', verifying: '🔄', queued: '⏳', unknown: '❓' },
};

/** The mark of a status. */
export function markOf(status: string): string {
  return MARKS[status] ?? '▫️';
}

interface Verdict {
  readonly name: string;
  readonly passed: boolean | null;
  readonly error?: string;
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

/** The verdicts about a step: of its contract, its outputs, and the checks of a gate. */
function verdictsOf({ evidence, output }: StepReport): Verdict[] {
  const { preconditions, postconditions, outputs } = isJsonObject(evidence) ? evidence : {};
  const checks = isJsonObject(output) ? output.checks : undefined;
  return [preconditions, postconditions, outputs, checks]
    .flatMap((list) => (Array.isArray(list) ? list.filter(isVerdict) : []))
    .map(toVerdict);
}

function isVerdict(value: Json): value is JsonObject {
  return isJsonObject(value) && 'name' in value && 'passed' in value;
}

function toVerdict({ name, passed, error }: JsonObject): Verdict {
  return {
    name: String(name),
    passed: typeof passed === 'boolean' ? passed : null,
    ...(typeof error === 'string' ? { error } : {}),
  };
}

/** The error that a worker reported itself. */
function reportedError({ status, output }: StepReport): string | null {
  return status === 'failed' && isJsonObject(output) && typeof output.error === 'string' ? output.error : null;
}
