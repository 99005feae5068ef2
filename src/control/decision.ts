// Finds the approval that a decision is about, and reports a decision that comes too late: another person has decided, or
// the content has changed. Only reads the store.

import { EngineError } from '../base/error.ts';
import { isAsked } from '../engine/request/approvals.ts';
import type { Store } from '../store/store.ts';
import { alreadyDecided, contentChanged } from './approval-change.ts';
import { type ApprovalRef, isNamed, type PendingApproval, pendingApprovals, pickApproval, waitingApprovals } from './approvals.ts';

/** Finds the approval, with the content the person saw; otherwise throws an error that says what happened to it. */
export async function findApproval(store: Store, run: string, named: ApprovalRef): Promise<PendingApproval> {
  const asked = pickApproval(run, await pendingApprovals(store, run), named);
  const { digest } = named;
  if (asked !== undefined && (digest === undefined || asked.approval.digest.startsWith(digest))) return asked;
  const decided = await alreadyDecided(store, run, named);
  // The approval may have been decided and then requested again with other content; then report the change.
  if (asked !== undefined && digest !== undefined && (decided === undefined || decided.details.step === asked.approval.step))
    throw await contentChanged(store, { asked, digest });
  throw decided ?? (await notAsked(store, run, named)) ?? noApproval(run, named.approval);
}

async function notAsked(store: Store, run: string, named: ApprovalRef): Promise<EngineError | undefined> {
  const found = (await waitingApprovals(store, run)).find(({ approval }) => !isAsked(approval) && isNamed(approval, named));
  if (found === undefined) return undefined;
  const why = 'what it is about outside the run has not been read yet';
  return new EngineError(
    'WAIT_NOT_FOUND',
    `approval "${found.approval.step}" of run ${found.run} is not pending yet: ${why}; unless another process drives the run, "pawl resume ${run}" continues it`,
  );
}

/** The error for an approval that is not pending. */
export function noApproval(run: string, approval: string | undefined): EngineError {
  const which = approval === undefined ? '' : ` "${approval}"`;
  return new EngineError('WAIT_NOT_FOUND', `run ${run} has no pending approval${which}; "pawl show ${run}" shows its state`);
}

/** What happened to an approval since it was shown: who decided it and when, or what changed. */
export async function tooLate(store: Store, asked: PendingApproval): Promise<EngineError | undefined> {
  const { path, step, digest } = asked.approval;
  const decided = await alreadyDecided(store, asked.run, { approval: path, digest });
  if (decided !== undefined) return decided;
  const now = (await pendingApprovals(store, asked.run)).find(
    ({ run, approval }) => run === asked.run && approval.step === step && approval.digest !== digest,
  );
  return now === undefined ? undefined : contentChanged(store, { asked: now, digest });
}

/** The codes of errors that mean that an approval was decided or changed in the meantime. */
export const TOO_LATE: ReadonlySet<string> = new Set(['ALREADY_DECIDED', 'CONTENT_CHANGED', 'WAIT_NOT_FOUND', 'RUN_FINAL']);
