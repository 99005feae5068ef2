// Finds a pending approval, in a run or in the child runs it waits for, by its path or step and by the digest of what the
// person saw. Only reads the store.

import { EngineError, isEngineError } from '../base/error.ts';
import { isAsked, type OpenApproval, openApprovals, type WaitingApproval } from '../engine/request/approvals.ts';
import { childOf } from '../kernel/activation.ts';
import type { Store } from '../store/store.ts';

/** An approval that waits for a decision, and its run. */
export interface PendingApproval<Approval = OpenApproval> {
  readonly run: string;
  readonly workflow: string;
  readonly approval: Approval;
}

/** The pending approvals of a run and of the child runs it waits for, oldest first. */
export async function pendingApprovals(store: Store, run: string): Promise<readonly PendingApproval[]> {
  return (await waitingApprovals(store, run)).flatMap(({ approval, ...of }) => (isAsked(approval) ? [{ ...of, approval }] : []));
}

/** The same, including approvals that people are not asked about yet. */
export async function waitingApprovals(store: Store, run: string): Promise<readonly PendingApproval<WaitingApproval>[]> {
  const { state } = await store.load(run);
  const own = (await openApprovals({ store }, run)).map((approval) => ({ run, workflow: state.workflow, approval }));
  const children = Object.values(state.live).flatMap((activation) => childOf(activation) ?? []);
  const below = await Promise.all(children.map((child) => waitingApprovals(store, child).catch(emptyIfNotFound)));
  return [...own, ...below.flat()].sort((a, b) => a.approval.since - b.approval.since);
}

/** A child run that its parent has not started yet has no approvals. */
function emptyIfNotFound(error: unknown): readonly PendingApproval<WaitingApproval>[] {
  if (isEngineError(error) && error.code === 'RUN_NOT_FOUND') return [];
  throw error;
}

/** The topmost parent of a run. The process that drives it drives all its children. */
export async function rootOf(store: Store, run: string): Promise<string> {
  const { parent } = (await store.load(run)).state;
  return parent === undefined ? run : rootOf(store, parent.run);
}

/** Identifies an approval: by its path or step, and by a prefix of the digest of what was seen. */
export interface ApprovalRef {
  readonly approval?: string | undefined;
  readonly digest?: string | undefined;
}

/** Whether an approval has the path or step that identifies it, if one is given. */
export function isNamed({ path, step }: WaitingApproval, ref: ApprovalRef): boolean {
  return ref.approval === undefined || path === ref.approval || step === ref.approval;
}

/** The one approval that matches; undefined if none does, an error that lists them if several do. */
export function pickApproval(run: string, pending: readonly PendingApproval[], ref: ApprovalRef): PendingApproval | undefined {
  const named = pending.filter(({ approval }) => isNamed(approval, ref));
  const seen = named.filter(({ approval }) => ref.digest === undefined || approval.digest.startsWith(ref.digest));
  const matches = seen.length > 0 ? seen : named;
  if (matches.length <= 1) return matches[0];
  const list = matches.map(({ approval }) => approval.path).join(', ');
  throw new EngineError('WAIT_NOT_FOUND', `run ${run} has ${matches.length} pending approvals; choose one with --approval: ${list}`);
}
