// Lists runs: a row per run, with the usage of its agents. It is the JSON of `pawl runs` and of the server's list.

import { omitUndefined } from '../../base/fields.ts';
import { isDriven } from '../../process/owner.ts';
import type { RunSummary, Store } from '../../store/store.ts';
import type { RunRow } from '../schema/run.ts';
import type { UsageReport } from '../schema/value.ts';
import { usageOf } from '../usage.ts';

/** A run and what its agents used, including child runs. */
export interface ListedRun extends RunSummary {
  readonly usage?: UsageReport;
}

/** Stores known to have calls of agents. The query reads every call, so it is made only until it finds one. */
const storesWithCalls = new WeakSet<Store>();

/** The runs with what their agents used; costs nothing in a store where no agent was ever called. */
export async function withUsage(store: Store, runs: readonly RunSummary[]): Promise<readonly ListedRun[]> {
  if (!storesWithCalls.has(store) && (await store.usage({})).attempts === 0) return runs;
  storesWithCalls.add(store);
  const used = runs.map(async (run) => {
    const usage = usageOf(await store.usage({ run: run.id, withChildren: true }));
    return usage === undefined ? run : { ...run, usage };
  });
  return Promise.all(used);
}

/** The row of a run. */
export function runRow(run: ListedRun): RunRow {
  const { id, workflow, status, currentStep, createdAt, updatedAt, due, parent, origin, damaged, owner, usage } = run;
  return {
    id,
    workflow,
    status,
    currentStep: currentStep ?? null,
    startedAt: new Date(createdAt).toISOString(),
    updatedAt: new Date(updatedAt).toISOString(),
    due: due === undefined ? null : new Date(due).toISOString(),
    isDriven: isDriven(owner),
    origin,
    ...omitUndefined({ parent, usage, damaged }),
  };
}
