import { expect, test } from 'vitest';
import { traitsIn } from '../../../../../test/gate-rig.ts';
import { tempFolder } from '../../../../../test/temp-folder.ts';
import { createAttemptRequest } from '../../../../proof/attempt-request.ts';
import type { RecordedDecision } from '../../../../steps/attempt.ts';
import { createAttemptRunner } from '../../../../steps/runner.ts';
import { REGISTRY } from '../../../registry.ts';
import { humanApprovedCheck } from './check.ts';

const approved: RecordedDecision = { option: 'ship', actor: 'ann', outcome: 'ok' };

// Whether files have changed since is tested on a whole engine, in test/engine/human-approved.test.ts.
test.each<[string, RecordedDecision | undefined, string | undefined]>([
  ['passes after an approval', approved, undefined],
  ['fails before anybody has decided', undefined, 'no person has decided at "ask" yet'],
  ['fails after another decision', { ...approved, outcome: 'reject' }, 'ann chose "ship" at "ask", which is not an approval'],
])('%s', async (_what, decision, error) => {
  const run = createAttemptRunner({ cwd: tempFolder(), now: () => 0 }, REGISTRY);
  const request = createAttemptRequest({ kind: 'gate', config: { checks: [{ check: 'human_approved', step: 'ask' }] } });
  const result = await run({ ...request, decisionAt: async (step) => (step === 'ask' ? decision : undefined) });
  expect(result).toMatchObject(error === undefined ? { outcome: 'ok' } : { outcome: 'fail', checks: [{ passed: false, error }] });
});

test('human_approved declares its traits', () => {
  expect(traitsIn(humanApprovedCheck)).toEqual({});
});
