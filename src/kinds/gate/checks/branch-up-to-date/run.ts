// Runs the check `branch_up_to_date`: the head of the pull request has every commit of its base branch.

import type { CheckOf } from '../../../../definition/check.ts';
import { type CheckContext, type CheckVerdict, forgeFailureVerdict, notRunVerdict } from '../../../../steps/check.ts';

/** `{ pr? }`: fails while the base branch has commits that the head lacks. */
export async function run({ pr }: CheckOf<'branch_up_to_date'>, { forge }: CheckContext): Promise<CheckVerdict> {
  if (forge?.isUpToDate === undefined) return notRunVerdict('there is no forge to ask about the branch; connect one in the config');
  const answer = await forge.isUpToDate(pr);
  if (answer.result !== 'ok') return forgeFailureVerdict(answer);
  const { headSha, baseBranch, isUpToDate } = answer.value;
  const result = { headSha, baseBranch, isUpToDate };
  if (isUpToDate) return { passed: true, result };
  return {
    passed: false,
    result,
    error: `the base branch "${baseBranch}" has commits that ${headSha.slice(0, 12)} does not have; merge them`,
  };
}
