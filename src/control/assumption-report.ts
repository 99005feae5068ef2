// Owns the report of assumptions: which ones agents made, the order in which people should review them, and the command
// that answers each. Only reads the store.

import { shellWord } from '../base/shell-word.ts';
import { SEVERITIES } from '../definition/review/review.ts';
import { type RunAssumption, readAssumptions } from '../engine/request/assumption-list.ts';
import type { RunState } from '../kernel/run-state.ts';
import type { Store } from '../store/store.ts';
import type { AssumptionReport } from './schema/run.ts';

/** The assumptions of a checkpoint: open ones first, the gravest first, then the oldest. */
export async function reportAssumptions(store: Store, state: RunState): Promise<readonly AssumptionReport[]> {
  return sorted((await readAssumptions(store, state)).map(reportOf));
}

/** The assumptions of these runs, in the same order. */
export async function reportRuns(store: Store, runs: readonly string[]): Promise<readonly AssumptionReport[]> {
  const all = await Promise.all(runs.map(async (run) => reportAssumptions(store, (await store.load(run)).state)));
  return sorted(all.flat());
}

/** The assumptions of all runs, including those that have ended. */
export async function reportAll(store: Store): Promise<readonly AssumptionReport[]> {
  const runs = (await store.list({ assumes: true })).filter(({ damaged }) => damaged === undefined);
  return reportRuns(
    store,
    runs.map(({ id }) => id),
  );
}

function sorted(reports: readonly AssumptionReport[]): readonly AssumptionReport[] {
  const rank = ({ state, severity }: AssumptionReport): number => (state === 'open' ? SEVERITIES.indexOf(severity) : SEVERITIES.length);
  return reports.toSorted((a, b) => rank(a) - rank(b) || (a.at < b.at ? -1 : 1));
}

function reportOf(one: RunAssumption): AssumptionReport {
  const { run, id, severity, state, step, path, attempt, question, assumed, options = [], answer, digest, at, signed } = one;
  const fork = answer?.unmet === true ? `pawl fork ${run} --from ${shellWord(one.from)}` : null;
  return {
    ...{ run, id, severity, state, step, path, attempt, question, assumed, options, digest, signed },
    at: new Date(at).toISOString(),
    answer: answer === undefined ? null : { ...answer, at: new Date(answer.at).toISOString(), unmet: answer.unmet === true },
    command: state === 'open' ? `pawl answer ${run} --assumption ${id}` : fork,
  };
}
