// Owns whether a trigger from the command line may start a workflow: the event and its conditions must match, and no other
// run of the workflow may be open for the same issue or pull request.

import type { Engine } from '../../api/engine.ts';
import { EngineError } from '../../base/error.ts';
import { assertFirstFor, openRunsFor, secondRun } from '../../control/trigger/open-runs.ts';
import type { CompiledWorkflow } from '../../definition/code.ts';
import { mismatchOf } from '../../definition/trigger/trigger.ts';
import type { Store } from '../../store/store.ts';
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
export async function assertNoOpenRun(store: Store, workflow: string, { origin }: Trigger): Promise<void> {
  const [open] = await openRunsFor(store, workflow, origin);
  if (open !== undefined) throw secondRun(open, origin);
}

/** If two runs were started at the same time for the same issue or pull request, cancels the newer one. */
export async function assertFirst(engine: Engine, run: string, trigger: Trigger | undefined): Promise<void> {
  await assertFirstFor(engine, run, trigger?.origin ?? {});
}
