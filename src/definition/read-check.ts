// Owns which checks other parts read the fields of. It is apart from `check.ts`, whose declarations are published without
// the fields that the built-in checks add.

import type { CheckModel, CheckOf } from './check.ts';

/** True for a check that starts a program, which other parts protect and read. */
export function isProgramCheck(check: CheckModel): check is CheckOf<'command'> {
  return check.check === 'command';
}

/** True for a check that waits for the approval of named groups. */
export function isGroupApproval(check: CheckModel): check is CheckOf<'pr_approval'> {
  return check.check === 'pr_approval';
}

/** True for a check that reads a report of the coverage. */
export function isCoverage(check: CheckModel): check is CheckOf<'coverage'> {
  return check.check === 'coverage';
}
