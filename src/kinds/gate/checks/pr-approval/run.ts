// Runs the check `pr_approval`: enough people of the given groups must approve the current head of the pull request.

import { isSamePerson } from '../../../../base/person.ts';
import type { CheckOf } from '../../../../definition/check.ts';
import { approversOf, membersOf } from '../../../../forge/people.ts';
import { type CheckContext, type CheckVerdict, forgeFailureVerdict, notRunVerdict } from '../../../../steps/check.ts';

/** `{ from, count? }`: pending until `count` distinct people approve the current head; fails if one of them requests changes. */
export async function run(config: CheckOf<'pr_approval'>, { forge }: CheckContext): Promise<CheckVerdict> {
  if (forge === undefined) return notRunVerdict('there is no forge to ask for approvals; connect one in the config');
  const { from, count = 1 } = config;
  const answer = await forge.approvals(config.pr);
  if (answer.result !== 'ok') return forgeFailureVerdict(answer);
  const { state: prState, headSha, author, approvals } = answer.value;
  const current = approvals.filter((approval) => approval.headSha === headSha);
  const approvedBy = approversOf(current, { groups: forge.groups, from, author });
  const members = membersOf(forge.groups, from).filter((member) => !isSamePerson(member, author));
  const rejections = current.filter(
    ({ actor, bot, state }) => state === 'changes_requested' && !bot && members.some((member) => isSamePerson(member, actor)),
  );
  const result = { headSha, approvedBy, changesRequestedBy: rejections.map(({ actor }) => actor), count };
  if (rejections.length > 0) return { passed: false, result, error: `changes were requested by ${result.changesRequestedBy.join(', ')}` };
  // A merge after this gate takes the head that people approved, or nothing (W13).
  if (approvedBy.length >= count)
    return { passed: true, result, facts: { [config.pr === undefined ? 'approved_head' : `approved_head_${config.pr}`]: headSha } };
  if (members.length < count) {
    const error = `${count} approvals are required, but only ${members.length} people of ${[from].flat().join(', ')} can give one; require fewer, or add people`;
    return notRunVerdict(error, result);
  }
  // A closed pull request gets no approvals, so the gate would wait forever.
  if (prState !== 'open') return notRunVerdict(OVER[prState], result);
  const asked = `${approvedBy.length} of ${count} approvals of ${headSha.slice(0, 12)}`;
  return { passed: null, why: 'pending', result, error: `it waits for ${[from].flat().join(', ')}: ${asked}` };
}

const OVER = {
  closed: 'the pull request was closed before it was approved; open it again and retry, or cancel the run',
  merged: 'the pull request was merged before it was approved here; check what was merged, then accept the gate or cancel the run',
};
