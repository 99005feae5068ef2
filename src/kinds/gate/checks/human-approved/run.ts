// Runs the check `human_approved`: a person must have approved at an earlier question of the run, and the files must not
// have changed since.

import type { CheckOf } from '../../../../definition/check.ts';
import type { CheckContext, CheckVerdict } from '../../../../steps/check.ts';

/** `{ step }`: fails without an approval, and when the tree has changed since. */
export async function run({ step }: CheckOf<'human_approved'>, { decisionAt }: CheckContext): Promise<CheckVerdict> {
  const decision = await decisionAt?.(step);
  if (decision === undefined) return { passed: false, result: null, error: `no person has decided at "${step}" yet` };
  const { option, actor, isApproval, isStale } = decision;
  const result = { step, option, actor };
  if (!isApproval) return { passed: false, result, error: `${actor} chose "${option}" at "${step}", which is not an approval` };
  if (isStale) return { passed: false, result, error: `the files have changed since ${actor} approved them at "${step}"` };
  return { passed: true, result };
}
