// Owns branches that would write the same files at the same time: each works in a checkout of its own, and what it
// changed is brought back when it was seen to be done. Branches that contradict each other end in a conflict, the later
// one. A workspace that git does not keep has no checkouts: there they work in place, one beside the other.

import type { StepModel } from '../definition/model.ts';
import { overlappingWriters, writtenBy } from '../definition/overlap.ts';
import { bringBack, closeSideCheckout, openSideCheckout } from '../process/side-checkout.ts';
import { checkoutOf } from '../process/worktree.ts';
import type { AttemptRequest, AttemptResult } from './attempt.ts';
import type { Bench } from './work.ts';

const overlaps = new WeakMap<StepModel, ReadonlySet<string>>();

/** Does the work of an attempt, in a checkout of its own where another branch may write the same. */
export async function apart(
  bench: Bench,
  request: AttemptRequest,
  work: (bench: Bench, request: AttemptRequest) => Promise<AttemptResult>,
): Promise<AttemptResult> {
  if (!isRival(request) || (await checkoutOf(bench.services.cwd)) === undefined) return work(bench, request);
  const checkout = await openSideCheckout(bench.services.cwd);
  try {
    const place = { ...bench, services: { ...bench.services, cwd: checkout.folder } };
    const result = await work(place, { ...request, apart: true });
    if (result.type !== 'settled' || result.outcome !== 'ok') return result;
    const brought = await bringBack(checkout);
    if (brought.kind === 'merged') return result;
    const files = [...brought.files];
    const error = `its changes contradict those of another branch in ${files.join(', ')}`;
    return { ...result, outcome: 'conflict', output: { error, files }, claim: result.claim ?? result.output };
  } finally {
    await closeSideCheckout(checkout);
  }
}

/** Whether this is a branch that writes what another branch, or another item of the same list, may write as well. */
function isRival({ activation, bound, group }: AttemptRequest): boolean {
  const { kind, id } = bound.model;
  if (group === undefined || (kind !== 'agent' && kind !== 'command') || activation.group === undefined) return false;
  if (group.kind === 'each') return group.concurrency !== 1 && writtenBy(bound.model).length > 0;
  const found = overlaps.get(group) ?? overlappingWriters(group.members);
  overlaps.set(group, found);
  return found.has(id);
}
