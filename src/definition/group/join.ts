// Owns the arithmetic of joins. A join uses counters: its outcome depends on how many members ended how, never on their
// order.
//
// N1. Skipped members leave the count; when every member is skipped, so is the group.
// N2. An unmet join is `reject` if any member rejected, otherwise `fail`.
// N3. A join that can no longer be met settles immediately once a member has rejected; until then it waits for the
//     rest, since one of them may still reject. So every order of the same results gives the same outcome.
// N6. If a transition exists for "all rejected", a rejected join waits as long as all members may still reject.

import type { Ref } from '../../base/digest.ts';
import type { JoinModel } from '../model.ts';
import type { OutcomeName } from '../outcome.ts';

/** How many members a group has, and how many of them have settled how. */
export type Counters = Readonly<Record<'total' | 'ok' | 'reject' | 'fail' | 'skip', number>>;

/** A group of branches or items: counters, so that a join costs the same however many have settled. */
export interface Group extends Counters {
  /** Members that are not open yet; they open in order. */
  readonly queued: number;
  readonly join: JoinModel;
  readonly limit: number;
  /** each: the items, frozen when the group opened. */
  readonly items?: Ref | undefined;
  /** Members that a person sent back to work and that have not begun yet. */
  readonly again?: readonly { readonly key: string; readonly index: number; readonly attempt: number }[] | undefined;
}

/** How many members of a group have begun and not settled. */
export function activeIn({ total, queued, again = [], ok, reject, fail, skip }: Group): number {
  return total - queued - again.length - ok - reject - fail - skip;
}

/** The counter that an outcome adds to. */
export function headOf(outcome: OutcomeName | 'cancelled'): 'ok' | 'reject' | 'fail' | 'skip' {
  if (outcome === 'ok' || outcome === 'iterate') return 'ok';
  if (outcome === 'reject' || outcome === 'skip') return outcome;
  return 'fail';
}

/** How the group settles now, or undefined while it is open. */
export function joinOutcome({
  total,
  ok,
  reject,
  fail,
  skip,
  join,
}: Counters & { readonly join: JoinModel }): 'ok' | 'reject' | 'fail' | 'skip' | undefined {
  const pending = total - ok - reject - fail - skip;
  if (join.rule === 'all' && pending > 0) return undefined;
  if (join.rule === 'all' && total === 0) return 'ok';
  const wanted = join.rule === 'count' ? join.n : join.rule === 'any' ? 1 : total - skip;
  if (ok >= wanted && total > skip) return 'ok';
  if (pending > 0) return ok + pending >= wanted || reject === 0 ? undefined : 'reject';
  if (total === skip) return 'skip';
  return reject > 0 ? 'reject' : 'fail';
}

/** Whether every counted member has rejected so far and others are still open (N6). */
export function mayAllReject(group: Counters): boolean {
  const settled = group.ok + group.reject + group.fail + group.skip;
  return group.reject > 0 && group.ok + group.fail === 0 && settled < group.total;
}
