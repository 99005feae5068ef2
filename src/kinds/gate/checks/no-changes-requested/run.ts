// Runs the check `no_changes_requested`: no person with write permission may have requested changes to the current head.

import type { CheckOf } from '../../../../definition/check.ts';
import { type CheckContext, type CheckVerdict, forgeFailureVerdict, notRunVerdict } from '../../../../steps/check.ts';

/** `{ pr? }`: fails while the latest review of a person with write permission requests changes to the current head. */
export async function run({ pr }: CheckOf<'no_changes_requested'>, { forge }: CheckContext): Promise<CheckVerdict> {
  if (forge === undefined) return notRunVerdict('there is no forge to ask for reviews; connect one in the config');
  const answer = await forge.approvals(pr);
  if (answer.result !== 'ok') return forgeFailureVerdict(answer);
  const { headSha, approvals } = answer.value;
  const wanted = approvals.filter(
    ({ headSha: head, state, bot, permission }) =>
      head === headSha && state === 'changes_requested' && !bot && (permission === 'write' || permission === 'admin'),
  );
  const result = { headSha, changesRequestedBy: wanted.map(({ actor }) => actor) };
  if (wanted.length === 0) return { passed: true, result };
  return { passed: false, result, error: `changes were requested by ${result.changesRequestedBy.join(', ')}` };
}
