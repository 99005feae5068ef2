import { forgeCase, gateWith, ok, review, traitsIn } from '../../../../../test/gate-rig.ts';
import { describeCheck } from '../../../../proof/check-suite.ts';
import { prApprovalCheck } from './check.ts';
// Whose approval counts, on a real forge: distinct people of the groups, of the head as it is now.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type LocalForgeStage, openLocalForgeStage } from '../../../../../test/forge/local-stage.ts';
import type { Json, JsonObject } from '../../../../base/json.ts';
import type { ForgeApproval } from '../../../../forge/forge.ts';
import { createAttemptRequest } from '../../../../proof/attempt-request.ts';
import { openSample, valueIn } from '../../../../proof/forge-suite/stage.ts';
import { createAttemptRunner } from '../../../../steps/runner.ts';
import { REGISTRY } from '../../../registry.ts';

// The local forge opens pull requests as "pawl", which is in a group here to show that it cannot approve its own.
const groups = { maintainers: ['ann', 'bob', 'pawl'], security: ['Ann', 'eve'] };

let stage: LocalForgeStage;
let pr: number;
beforeEach(async () => {
  stage = await openLocalForgeStage();
  pr = (await openSample(stage, 'feature')).number;
});
afterEach(() => stage.close());

async function outcome(from: Json, count: number): Promise<unknown> {
  const run = createAttemptRunner({ cwd: '.', now: () => 0, forge: stage.forge, groups }, REGISTRY);
  const config = { checks: [{ check: 'pr_approval', from, count }] };
  const result = await run(createAttemptRequest({ kind: 'gate', config, snapshot: { data: { pr_number: pr } } }));
  return result.type === 'settled' ? result.outcome : result;
}

describe('an approval', () => {
  test('counts once for a person, in however many of the groups they are', async () => {
    await stage.review(pr, 'ann', 'approved');
    expect(await outcome(['maintainers', 'security'], 2)).toBe('pending');
    await stage.review(pr, 'eve', 'approved');
    expect(await outcome(['maintainers', 'security'], 2)).toBe('ok');
    expect(await outcome('security', 2)).toBe('ok');
    expect(await outcome('maintainers', 2)).toBe('pending');
  });

  test.each([
    ['the author', { actor: 'pawl' }],
    ['a bot', { actor: 'bob', bot: true }],
    ['a stranger', { actor: 'mallory' }],
    ['somebody without any right', { actor: 'bob', permission: 'none' as const }],
  ])('an approval of %s does not count', async (_who, review) => {
    valueIn(await stage.forge.control.review(pr, review));
    expect(await outcome('maintainers', 1)).toBe('pending');
  });

  test('is of the head that it saw, and of no other', async () => {
    await stage.review(pr, 'ann', 'approved');
    expect(await outcome('maintainers', 1)).toBe('ok');
    await stage.commit('feature', { 'more.txt': 'more\n' });
    expect(await outcome('maintainers', 1)).toBe('pending');
  });

  test('an approval that is withdrawn no longer counts', async () => {
    await stage.review(pr, 'ann', 'approved');
    await stage.review(pr, 'ann', 'changes_requested');
    expect(await outcome('maintainers', 1)).toBe('fail');
    stage.forge.control.dismiss(pr, 'ann');
    expect(await outcome('maintainers', 1)).toBe('pending');
  });
});

describe('pr_approval', () => {
  const approved = (config: JsonObject, ...approvals: ForgeApproval[]) =>
    gateWith(
      { check: 'pr_approval', ...config },
      { approvals: () => ok({ state: 'open' as const, headSha: 'head', author: 'zoe', approvals }) },
    ).result;

  test('passes when enough people of the group approve the head as it is', async () => {
    expect(await approved({ from: 'maintainers', count: 2 }, review('ann'), review('Bob'))).toMatchObject({
      outcome: 'ok',
      checks: [{ passed: true, result: { approvedBy: ['ann', 'Bob'], headSha: 'head' } }],
    });
  });

  test.each<[string, readonly ForgeApproval[]]>([
    ['nobody has said anything', []],
    ['one person approved twice', [review('ann'), review('ANN')]],
    ['the approval is of an older head', [review('ann'), review('bob', 'approved', { headSha: 'old' })]],
    ['somebody else approved', [review('ann'), review('mallory')]],
    ['a bot approved', [review('ann'), review('bob', 'approved', { bot: true })]],
    ['an outsider wants changes', [review('ann'), review('mallory', 'changes_requested')]],
    ['changes were wanted of an older head', [review('ann'), review('bob', 'changes_requested', { headSha: 'old' })]],
  ])('is pending when %s', async (_what, approvals) => {
    expect(await approved({ from: 'maintainers', count: 2 }, ...approvals)).toMatchObject({
      type: 'settled',
      outcome: 'pending',
      output: { passed: false, failed_checks: [], pending_checks: [expect.stringContaining('it waits for maintainers')] },
      checks: [{ passed: null, result: { pending: true } }],
    });
  });

  test('fails when one of them wants changes, also with enough approvals', async () => {
    expect(await approved({ from: 'maintainers' }, review('ann'), review('bob', 'changes_requested'))).toMatchObject({
      outcome: 'fail',
      checks: [{ passed: false, error: 'changes were requested by bob' }],
    });
  });

  test('takes a list of groups as their union', async () => {
    expect(await approved({ from: ['maintainers', 'security'], count: 3 }, review('ann'), review('bob'), review('eve'))).toMatchObject({
      outcome: 'ok',
    });
  });

  test.each<[string, JsonObject, string]>([
    ['the group is none', { from: 'maintainer' }, 'did you mean "maintainers"'],
    ['there are not so many people', { from: 'maintainers', count: 3 }, '2 people of maintainers can give one'],
  ])('is an error when %s', async (_what, config, error) => {
    expect(await approved(config, review('ann'))).toMatchObject({
      type: 'errored',
      checks: [{ passed: null, error: expect.stringContaining(error) }],
    });
  });

  test('is asked about the run at hand', async () => {
    const { result, subjects } = gateWith({ check: 'pr_approval', from: 'maintainers' }, {});
    expect(await result).toMatchObject({ type: 'errored', checks: [{ passed: null, error: 'the forge does not answer' }] });
    expect(subjects).toEqual([{ runId: 'run1', params: {}, data: { pr_number: 7 } }]);
  });
});

describeCheck(prApprovalCheck, {
  passes: forgeCase({ from: 'maintainers' }, true),
  fails: forgeCase({ from: 'maintainers' }, false),
  cannotDecide: { config: { from: 'maintainers' } },
});

test('pr_approval declares its traits', () => {
  expect(traitsIn(prApprovalCheck)).toEqual({ readsFiles: false, requiredAtMerge: true, isApproval: true, independentOfRun: true });
});
