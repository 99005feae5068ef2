import { expect, test } from 'vitest';
import { gateStage, traitsIn } from '../../../../../test/gate-rig.ts';
import { valueIn } from '../../../../proof/forge-suite/stage.ts';
import { labelPresentCheck } from './check.ts';

const forge = gateStage();

test('label_present waits for every label, on the issue first and on the pull request if it says so', async () => {
  const issue = valueIn(await forge.now.stage.forge.createIssue({ title: 'x', body: '', labels: ['ready'] }, 'issue')).number;
  expect(await forge.now.outcome({ check: 'label_present', label: 'ready' }, { issue_number: issue })).toBe('ok');
  expect(await forge.now.outcome({ check: 'label_present', label: 'ready', target: 'pr' }, { issue_number: issue })).toBe('pending');
  expect(await forge.now.outcome({ check: 'label_present', label: ['ready', 'safe'] }, { issue_number: issue })).toBe('pending');
  valueIn(await forge.now.stage.forge.addLabels({ number: forge.now.docs, labels: ['ready'] }, 'label'));
  expect(await forge.now.outcome({ check: 'label_present', label: 'ready', pr: 'open-docs' }, { issue_number: issue })).toBe('ok');
});

test('label_present declares its traits', () => {
  expect(traitsIn(labelPresentCheck)).toEqual({ readsFiles: false, independentOfRun: true });
});
