import { expect, test } from 'vitest';
import { forgeCase, gateStage, traitsIn } from '../../../../../test/gate-rig.ts';
import { describeCheck } from '../../../../proof/check-suite.ts';
import { branchUpToDateCheck } from './check.ts';

const forge = gateStage();

test('branch_up_to_date fails while the base branch has commits that the head has not', async () => {
  expect(await forge.now.outcome({ check: 'branch_up_to_date' })).toBe('ok');
  await forge.now.stage.commit('main', { 'new.txt': 'new\n' });
  expect(await forge.now.outcome({ check: 'branch_up_to_date' })).toBe('fail');
});

describeCheck(branchUpToDateCheck, {
  passes: forgeCase({}, true),
  fails: forgeCase({}, false),
  cannotDecide: { config: {} },
});

test('branch_up_to_date declares its traits', () => {
  expect(traitsIn(branchUpToDateCheck)).toEqual({ readsFiles: false, independentOfRun: true });
});
