// Owns the rule that a workflow has at most one open run per issue or pull request.

import type { Engine } from '../../api/engine.ts';
import { EngineError } from '../../base/error.ts';
import type { RunStatus } from '../../definition/run-status.ts';
import type { RunOrigin, RunSummary, Store } from '../../store/store.ts';

/** The issue or the pull request that a run is for. */
type RunSubject = Pick<RunOrigin, 'issue' | 'pr'>;

/** The states of open runs: those that continue, and those that a person can resume. */
export const OPEN_STATES: readonly RunStatus[] = ['pending', 'running', 'waiting', 'failed', 'escalated'];

/** The open runs of a workflow for an issue or a pull request; none if it is for neither. */
export async function openRunsFor(store: Store, workflow: string, { issue, pr }: RunSubject): Promise<RunSummary[]> {
  if (issue === undefined && pr === undefined) return [];
  const isSame = (origin: RunSubject): boolean => (pr === undefined ? origin.issue === issue : origin.pr === pr);
  const about = pr === undefined ? { issues: issue === undefined ? [] : [issue] } : { prs: [pr] };
  const open = await store.list({ workflow, status: OPEN_STATES, about });
  return open.filter(({ origin, parent }) => parent === undefined && isSame(origin));
}

/** Cancels a run that was started at the same time as another one for the same subject; the older one continues. */
export async function assertFirstFor(engine: Engine, run: string, subject: RunSubject): Promise<void> {
  const { workflow, createdAt } = (await engine.list({ id: run }))[0] ?? {};
  if (workflow === undefined || createdAt === undefined) return;
  const isOlder = (other: RunSummary): boolean => other.createdAt < createdAt || (other.createdAt === createdAt && other.id < run);
  const older = (await openRunsFor(engine.store, workflow, subject)).find((other) => other.id !== run && isOlder(other));
  if (older === undefined) return;
  await engine.run(run).cancel({ actor: 'pawl', reason: `run ${older.id} was started for the same issue or pull request` });
  throw secondRun(older, subject);
}

/** The error about a second run for the same subject. */
export function secondRun({ id, workflow, status }: RunSummary, { issue, pr }: RunSubject): EngineError {
  const name = pr === undefined ? `issue #${issue}` : `pull request #${pr}`;
  return new EngineError(
    'RUN_EXISTS',
    `run ${id} of "${workflow}" is already open for ${name} (${status}); "pawl resume ${id}" continues it, "pawl cancel ${id}" ends it`,
    { details: { run: id } },
  );
}
