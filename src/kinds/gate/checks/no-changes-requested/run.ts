// Owns the check `no_changes_requested`: that nobody with write permission wants the current head changed.

import type { CheckOf } from '../../../../definition/check.ts';
import { type CheckScene, type CheckVerdict, notAnswered } from '../../../../steps/check.ts';

/** `{ pr? }`: fails while the latest review of somebody with write permission, of the current head, asks for changes. */
export async function run({ pr }: CheckOf<'no_changes_requested'>, { forge }: CheckScene): Promise<CheckVerdict> {
  if (forge === undefined) return { passed: null, result: null, error: 'there is no forge to ask for reviews; connect one in the config' };
  const answer = await forge.approvals(pr);
  if (answer.result !== 'ok') return notAnswered(answer);
  const { headSha, approvals } = answer.value;
  const wanted = approvals.filter(
    ({ headSha: head, state, bot, permission }) =>
      head === headSha && state === 'changes_requested' && !bot && (permission === 'write' || permission === 'admin'),
  );
  const result = { headSha, changesRequestedBy: wanted.map(({ actor }) => actor) };
  if (wanted.length === 0) return { passed: true, result };
  return { passed: false, result, error: `changes were requested by ${result.changesRequestedBy.join(', ')}` };
}
