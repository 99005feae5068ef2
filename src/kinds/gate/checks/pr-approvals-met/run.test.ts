import { describe, expect, test } from 'vitest';
import { forgeCase, gateStage, traitsIn } from '../../../../../test/gate-rig.ts';
import { describeCheck } from '../../../../proof/check-suite.ts';
import { valueIn } from '../../../../proof/forge-suite/stage.ts';
import { prApprovalsMetCheck } from './check.ts';

const forge = gateStage();

describe('pr_approvals_met', () => {
  test('counts people with write permission, whatever groups there are, and no bots', async () => {
    const check = { check: 'pr_approvals_met', count: 2 };
    valueIn(await forge.now.stage.forge.control.review(forge.now.pr, { actor: 'ann' }));
    valueIn(await forge.now.stage.forge.control.review(forge.now.pr, { actor: 'reader', permission: 'read' }));
    valueIn(await forge.now.stage.forge.control.review(forge.now.pr, { actor: 'robot', bot: true }));
    expect(await forge.now.outcome(check)).toBe('pending');
    valueIn(await forge.now.stage.forge.control.review(forge.now.pr, { actor: 'bob' }));
    expect(await forge.now.outcome(check)).toBe('ok');
    await forge.now.stage.review(forge.now.pr, 'bob', 'changes_requested');
    expect(await forge.now.outcome(check)).toBe('fail');
  });

  test('looks at the pull request that it names', async () => {
    valueIn(await forge.now.stage.forge.control.review(forge.now.docs, { actor: 'ann' }));
    expect(await forge.now.outcome({ check: 'pr_approvals_met' })).toBe('pending');
    expect(await forge.now.outcome({ check: 'pr_approvals_met', pr: 'open-docs' })).toBe('ok');
    expect(await forge.now.outcome({ check: 'pr_approvals_met', pr: 'opendocs' })).toMatchObject({
      type: 'errored',
      error: { message: expect.stringContaining('did you mean "open-docs"') },
    });
  });
});

describeCheck(prApprovalsMetCheck, {
  passes: forgeCase({}, true),
  fails: forgeCase({}, false),
  cannotDecide: { config: {} },
});

test('pr_approvals_met declares its traits', () => {
  expect(traitsIn(prApprovalsMetCheck)).toEqual({ readsFiles: false, requiredAtMerge: true, isApproval: true, independentOfRun: true });
});
