import { expect, test } from 'vitest';
import { forgeCase, gateStage, traitsIn } from '../../../../../test/gate-rig.ts';
import { describeCheck } from '../../../../proof/check-suite.ts';
import { valueIn } from '../../../../proof/forge-suite/stage.ts';
import { noChangesRequestedCheck } from './check.ts';

const forge = gateStage();

test('no_changes_requested fails only while somebody with write permission asks for changes to the current head', async () => {
  const check = { check: 'no_changes_requested' };
  expect(await forge.now.outcome(check)).toBe('ok');
  valueIn(await forge.now.stage.forge.control.review(forge.now.pr, { actor: 'reader', permission: 'read', state: 'changes_requested' }));
  expect(await forge.now.outcome(check)).toBe('ok');
  await forge.now.stage.review(forge.now.pr, 'ann', 'changes_requested');
  expect(await forge.now.outcome(check)).toBe('fail');
  await forge.now.stage.commit('feature', { 'more.txt': 'more\n' });
  expect(await forge.now.outcome(check)).toBe('ok');
});

describeCheck(noChangesRequestedCheck, {
  passes: forgeCase({}, true),
  fails: forgeCase({}, false),
  cannotDecide: { config: {} },
});

test('no_changes_requested declares its traits', () => {
  expect(traitsIn(noChangesRequestedCheck)).toEqual({ readsFiles: false, requiredAtMerge: true, independentOfRun: true });
});
