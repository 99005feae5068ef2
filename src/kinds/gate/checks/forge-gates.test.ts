// The checks that look at a pull request, on a real forge: what each reads, and which of several pull requests.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type LocalForgeStage, openLocalForgeStage } from '../../../../test/forge/local-stage.ts';
import type { JsonObject } from '../../../base/json.ts';
import { createAttemptRequest } from '../../../proof/attempt-request.ts';
import { openSample, valueIn } from '../../../proof/forge-suite/stage.ts';
import { createAttemptRunner } from '../../../steps/runner.ts';
import { REGISTRY } from '../../registry.ts';

let stage: LocalForgeStage;
let pr: number;
let docs: number;
beforeEach(async () => {
  stage = await openLocalForgeStage();
  pr = (await openSample(stage, 'feature')).number;
  docs = (await openSample(stage, 'docs')).number;
});
afterEach(() => stage.close());

async function outcome(check: JsonObject, data: JsonObject = {}): Promise<unknown> {
  const run = createAttemptRunner({ cwd: '.', now: () => 0, forge: stage.forge, groups: {} }, REGISTRY);
  const numbers = { pr_number: pr, pr_numbers: { code: pr, 'open-docs': docs } };
  const request = createAttemptRequest({ kind: 'gate', config: { checks: [check] }, snapshot: { data: { ...numbers, ...data } } });
  const result = await run(request);
  return result.type === 'settled' ? result.outcome : result;
}

describe('pr_approvals_met', () => {
  test('counts people with write permission, whatever groups there are, and no bots', async () => {
    const check = { check: 'pr_approvals_met', count: 2 };
    valueIn(await stage.forge.control.review(pr, { actor: 'ann' }));
    valueIn(await stage.forge.control.review(pr, { actor: 'reader', permission: 'read' }));
    valueIn(await stage.forge.control.review(pr, { actor: 'robot', bot: true }));
    expect(await outcome(check)).toBe('pending');
    valueIn(await stage.forge.control.review(pr, { actor: 'bob' }));
    expect(await outcome(check)).toBe('ok');
    await stage.review(pr, 'bob', 'changes_requested');
    expect(await outcome(check)).toBe('fail');
  });

  test('looks at the pull request that it names', async () => {
    valueIn(await stage.forge.control.review(docs, { actor: 'ann' }));
    expect(await outcome({ check: 'pr_approvals_met' })).toBe('pending');
    expect(await outcome({ check: 'pr_approvals_met', pr: 'open-docs' })).toBe('ok');
    expect(await outcome({ check: 'pr_approvals_met', pr: 'opendocs' })).toMatchObject({
      type: 'errored',
      error: { message: expect.stringContaining('did you mean "open-docs"') },
    });
  });
});

test('no_changes_requested fails only while somebody with write permission asks for changes to the current head', async () => {
  const check = { check: 'no_changes_requested' };
  expect(await outcome(check)).toBe('ok');
  valueIn(await stage.forge.control.review(pr, { actor: 'reader', permission: 'read', state: 'changes_requested' }));
  expect(await outcome(check)).toBe('ok');
  await stage.review(pr, 'ann', 'changes_requested');
  expect(await outcome(check)).toBe('fail');
  await stage.commit('feature', { 'more.txt': 'more\n' });
  expect(await outcome(check)).toBe('ok');
});

test('label_present waits for every label, on the issue first and on the pull request if it says so', async () => {
  const issue = valueIn(await stage.forge.createIssue({ title: 'x', body: '', labels: ['ready'] }, 'issue')).number;
  expect(await outcome({ check: 'label_present', label: 'ready' }, { issue_number: issue })).toBe('ok');
  expect(await outcome({ check: 'label_present', label: 'ready', target: 'pr' }, { issue_number: issue })).toBe('pending');
  expect(await outcome({ check: 'label_present', label: ['ready', 'safe'] }, { issue_number: issue })).toBe('pending');
  valueIn(await stage.forge.addLabels({ number: docs, labels: ['ready'] }, 'label'));
  expect(await outcome({ check: 'label_present', label: 'ready', pr: 'open-docs' }, { issue_number: issue })).toBe('ok');
});

test('branch_up_to_date fails while the base branch has commits that the head has not', async () => {
  expect(await outcome({ check: 'branch_up_to_date' })).toBe('ok');
  await stage.commit('main', { 'new.txt': 'new\n' });
  expect(await outcome({ check: 'branch_up_to_date' })).toBe('fail');
});
