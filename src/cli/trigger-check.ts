// Owns whether a trigger that is given by hand may start a workflow: its event and its conditions hold, and no other run
// of the workflow is open for the same issue or pull request.

import { EngineError } from '../base/error.ts';
import type { CompiledWorkflow } from '../definition/code.ts';
import { mismatchOf } from '../definition/trigger.ts';
import { isFinal } from '../kernel/run-state.ts';
import type { Store } from '../store/store.ts';
import type { Trigger } from './trigger.ts';

/** Refuses a trigger that would not start the workflow. */
export function assertStarts({ definition, trigger: model }: CompiledWorkflow, trigger: Trigger | undefined): void {
  if (model === undefined || trigger === undefined) return;
  const { event, issue } = trigger.origin;
  const mismatch = mismatchOf(model, { event, payload: trigger.payload });
  if (mismatch === undefined) return;
  const isLabel = issue !== undefined && mismatch.includes('label');
  const hint = isLabel ? `; "pawl forge label ${issue} --add LABEL" adds one` : '';
  throw new EngineError('USAGE', `${trigger.said} does not start workflow "${definition.name}": ${mismatch}${hint}`);
}

/** Refuses a second run of a workflow for one issue or one pull request while the first is open. */
export async function assertNoOpenRun(store: Store, workflow: string, trigger: Trigger | undefined): Promise<void> {
  const { issue, pr } = trigger?.origin ?? {};
  if (issue === undefined && pr === undefined) return;
  const isSame = (origin: Trigger['origin']): boolean => (pr === undefined ? origin.issue === issue : origin.pr === pr);
  const open = (await store.list({ workflow })).find(
    ({ origin, status, parent }) => parent === undefined && !isFinal(status) && isSame(origin),
  );
  if (open === undefined) return;
  const what = pr === undefined ? `issue #${issue}` : `pull request #${pr}`;
  throw new EngineError(
    'RUN_EXISTS',
    `run ${open.id} of "${workflow}" is open for ${what} and ${open.status}; "pawl resume ${open.id}" drives it on, "pawl cancel ${open.id}" ends it`,
    { details: { run: open.id } },
  );
}
