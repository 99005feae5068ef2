// Owns whether a trigger from the command line may start a workflow: its event and conditions must match, and no other
// run of the workflow may be open for the same issue or pull request.

import type { Engine } from '../../api/engine.ts';
import { EngineError } from '../../base/error.ts';
import type { CompiledWorkflow } from '../../definition/code.ts';
import { mismatchOf } from '../../definition/trigger.ts';
import { isFinal } from '../../kernel/run-state.ts';
import type { RunSummary, Store } from '../../store/store.ts';
import type { Trigger } from './trigger.ts';

/** Throws if the trigger would not start the workflow. */
export function assertStarts({ definition, trigger: model }: CompiledWorkflow, trigger: Trigger | undefined): void {
  if (model === undefined || trigger === undefined) return;
  const { event, issue } = trigger.origin;
  const mismatch = mismatchOf(model, { event, payload: trigger.payload });
  if (mismatch === undefined) return;
  const isLabel = issue !== undefined && mismatch.includes('label');
  const hint = isLabel ? `; "pawl forge label ${issue} --add LABEL" adds one` : '';
  throw new EngineError('USAGE', `${trigger.option} does not start workflow "${definition.name}": ${mismatch}${hint}`);
}

/** Throws if a run of the workflow is already open for the same issue or pull request. */
export async function assertNoOpenRun(store: Store, workflow: string, trigger: Trigger | undefined): Promise<void> {
  const [open] = await openRuns(store, workflow, trigger);
  if (open !== undefined) throw secondRun(open, trigger);
}

/** Cancels a run that was started at the same time as another one for the same issue or pull request; the older one continues. */
export async function assertFirst(engine: Engine, run: string, trigger: Trigger | undefined): Promise<void> {
  const { workflow, createdAt } = (await engine.list({ idPrefix: run }))[0] ?? {};
  if (workflow === undefined || createdAt === undefined) return;
  const isOlder = (one: RunSummary): boolean => one.createdAt < createdAt || (one.createdAt === createdAt && one.id < run);
  const older = (await openRuns(engine.store, workflow, trigger)).find((one) => one.id !== run && isOlder(one));
  if (older === undefined) return;
  await engine.run(run).cancel({ actor: 'pawl', reason: `run ${older.id} was started for the same issue or pull request` });
  throw secondRun(older, trigger);
}

async function openRuns(store: Store, workflow: string, trigger: Trigger | undefined): Promise<RunSummary[]> {
  const { issue, pr } = trigger?.origin ?? {};
  if (issue === undefined && pr === undefined) return [];
  const isSame = (origin: Trigger['origin']): boolean => (pr === undefined ? origin.issue === issue : origin.pr === pr);
  const all = await store.list({ workflow });
  return all.filter(({ origin, status, parent }) => parent === undefined && !isFinal(status) && isSame(origin));
}

function secondRun({ id, workflow, status }: RunSummary, trigger: Trigger | undefined): EngineError {
  const { issue, pr } = trigger?.origin ?? {};
  const what = pr === undefined ? `issue #${issue}` : `pull request #${pr}`;
  return new EngineError(
    'RUN_EXISTS',
    `run ${id} of "${workflow}" is already open for ${what} (${status}); "pawl resume ${id}" continues it, "pawl cancel ${id}" ends it`,
    { details: { run: id } },
  );
}
