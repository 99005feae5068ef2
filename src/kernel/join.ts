// Owns the arithmetic of joins. A join is counters: what it settles with depends on how many members ended how,
// never on the order in which they did.
//
// N1. Skipped members leave the count; when every member is skipped, so is the group.
// N2. Unmet is `reject` if any member rejected, else `fail`.
// N3. A join that can no longer be met settles at once when a member has rejected; without one it waits for the
//     rest, since one of them may still reject. So every order of the same results gives the same outcome.
// N6. Where a way of its own leads on when all have rejected, a join that is rejected waits for as long as all may.

import type { OutcomeName } from '../definition/outcome.ts';
import type { Group } from './run-state.ts';

/** Under which head a join counts an outcome. */
export function headOf(outcome: OutcomeName | 'cancelled'): 'ok' | 'reject' | 'fail' | 'skip' {
  if (outcome === 'ok' || outcome === 'iterate') return 'ok';
  if (outcome === 'reject' || outcome === 'skip') return outcome;
  return 'fail';
}

/** How the group settles now, or undefined while it is open. */
export function joinOutcome(group: Group): 'ok' | 'reject' | 'fail' | 'skip' | undefined {
  const pending = group.total - group.ok - group.reject - group.fail - group.skip;
  const counted = group.total - group.skip;
  if (group.join.rule === 'all') return pending > 0 ? undefined : allOutcome(group, counted);
  const wanted = group.join.rule === 'any' ? 1 : group.join.n;
  if (group.ok >= wanted) return 'ok';
  if (pending === 0) return counted === 0 ? 'skip' : unmet(group);
  const reachable = group.ok + pending >= wanted;
  return reachable || group.reject === 0 ? undefined : 'reject';
}

function allOutcome(group: Group, counted: number): 'ok' | 'reject' | 'fail' | 'skip' {
  if (group.total === 0) return 'ok';
  if (counted === 0) return 'skip';
  return group.ok === counted ? 'ok' : unmet(group);
}

function unmet(group: Group): 'reject' | 'fail' {
  return group.reject > 0 ? 'reject' : 'fail';
}

/** Whether every member that counts has rejected so far, and others are still to come (N6). */
export function mayAllReject(group: Group): boolean {
  const settled = group.ok + group.reject + group.fail + group.skip;
  return group.reject > 0 && group.ok + group.fail === 0 && settled < group.total;
}
