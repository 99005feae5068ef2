// Runs the check `pr_approvals_met`: enough people with write permission must approve the current head.

import { foldedName, isSamePerson } from '../../../../base/person.ts';
import type { CheckOf } from '../../../../definition/check.ts';
import { type CheckContext, type CheckVerdict, forgeFailureVerdict, notRunVerdict } from '../../../../steps/check.ts';

/** `{ count?, pr? }`: pending until `count` distinct people approve the current head; fails if one of them requests changes. */
export async function run({ count = 1, pr }: CheckOf<'pr_approvals_met'>, { forge }: CheckContext): Promise<CheckVerdict> {
  if (forge === undefined) return notRunVerdict('there is no forge to ask for approvals; connect one in the config');
  const answer = await forge.approvals(pr);
  if (answer.result !== 'ok') return forgeFailureVerdict(answer);
  const { headSha, author, approvals } = answer.value;
  const counted = approvals.filter(
    ({ headSha: head, bot, permission, actor }) =>
      head === headSha && !bot && (permission === 'write' || permission === 'admin') && !isSamePerson(actor, author),
  );
  const rejections = counted.filter(({ state }) => state === 'changes_requested').map(({ actor }) => actor);
  const approvedBy = [
    ...new Map(counted.filter(({ state }) => state === 'approved').map(({ actor }) => [foldedName(actor), actor])).values(),
  ];
  const result = { headSha, approvedBy, changesRequestedBy: rejections, count };
  if (rejections.length > 0) return { passed: false, result, error: `changes were requested by ${rejections.join(', ')}` };
  if (approvedBy.length >= count)
    return { passed: true, result, facts: { [pr === undefined ? 'approved_head' : `approved_head_${pr}`]: headSha } };
  const error = `it waits for approvals of ${headSha.slice(0, 12)}: ${approvedBy.length} of ${count}`;
  return { passed: null, why: 'pending', result, error };
}
