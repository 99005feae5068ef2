// Whose approval counts, on a real forge: distinct people of the groups, of the head as it is now.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type LocalForgeStage, openLocalForgeStage } from '../../../../../test/forge/local-stage.ts';
import type { Json } from '../../../../base/json.ts';
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
  ])('of %s does not count', async (_who, review) => {
    valueIn(await stage.forge.control.review(pr, review));
    expect(await outcome('maintainers', 1)).toBe('pending');
  });

  test('is of the head that it saw, and of no other', async () => {
    await stage.review(pr, 'ann', 'approved');
    expect(await outcome('maintainers', 1)).toBe('ok');
    await stage.commit('feature', { 'more.txt': 'more\n' });
    expect(await outcome('maintainers', 1)).toBe('pending');
  });

  test('that is taken back does not count any more', async () => {
    await stage.review(pr, 'ann', 'approved');
    await stage.review(pr, 'ann', 'changes_requested');
    expect(await outcome('maintainers', 1)).toBe('fail');
    stage.forge.control.dismiss(pr, 'ann');
    expect(await outcome('maintainers', 1)).toBe('pending');
  });
});
