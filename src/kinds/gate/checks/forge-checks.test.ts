import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../base/json.ts';
import type { CheckRun, ForgeAnswer, ForgeApproval } from '../../../forge/forge.ts';
import { createAttemptRequest } from '../../../proof/attempt-request.ts';
import type { ForgeFacts, ForgeSubject } from '../../../steps/forge/forge-facts.ts';
import { createAttemptRunner } from '../../../steps/runner.ts';
import { REGISTRY } from '../../registry.ts';

const groups = { maintainers: ['ann', 'bob'], security: ['eve', 'ann'] };
const ok = <T>(value: T): Promise<ForgeAnswer<T>> => Promise.resolve({ result: 'ok', value });

function look(check: JsonObject, facts?: Partial<ForgeFacts>) {
  const none = { result: 'unavailable', message: 'the forge does not answer' } as const;
  const subjects: ForgeSubject[] = [];
  const forgeFacts = (subject: ForgeSubject): ForgeFacts => {
    subjects.push(subject);
    return { groups, approvals: async () => none, checks: async () => none, ...facts };
  };
  const run = createAttemptRunner({ cwd: '.', now: () => 0, ...(facts === undefined ? {} : { forgeFacts }) }, REGISTRY);
  const request = createAttemptRequest({ kind: 'gate', config: { checks: [check] }, snapshot: { data: { pr_number: 7 } } });
  return { result: run(request), subjects };
}

const word = (actor: string, state: ForgeApproval['state'] = 'approved', rest: Partial<ForgeApproval> = {}): ForgeApproval => ({
  actor,
  state,
  headSha: 'head',
  at: 1,
  permission: 'write',
  bot: false,
  ...rest,
});

describe('pr_approval', () => {
  const approved = (config: JsonObject, ...approvals: ForgeApproval[]) =>
    look(
      { check: 'pr_approval', ...config },
      { approvals: () => ok({ state: 'open' as const, headSha: 'head', author: 'zoe', approvals }) },
    ).result;

  test('passes when enough people of the group approve the head as it is', async () => {
    expect(await approved({ from: 'maintainers', count: 2 }, word('ann'), word('Bob'))).toMatchObject({
      outcome: 'ok',
      checks: [{ passed: true, result: { approvedBy: ['ann', 'Bob'], headSha: 'head' } }],
    });
  });

  test.each<[string, readonly ForgeApproval[]]>([
    ['nobody has said anything', []],
    ['one person approved twice', [word('ann'), word('ANN')]],
    ['the approval is of an older head', [word('ann'), word('bob', 'approved', { headSha: 'old' })]],
    ['somebody else approved', [word('ann'), word('mallory')]],
    ['a bot approved', [word('ann'), word('bob', 'approved', { bot: true })]],
    ['an outsider wants changes', [word('ann'), word('mallory', 'changes_requested')]],
    ['changes were wanted of an older head', [word('ann'), word('bob', 'changes_requested', { headSha: 'old' })]],
  ])('is pending when %s', async (_what, approvals) => {
    expect(await approved({ from: 'maintainers', count: 2 }, ...approvals)).toMatchObject({
      type: 'settled',
      outcome: 'pending',
      output: { passed: false, failed_checks: [], pending_checks: [expect.stringContaining('it waits for maintainers')] },
      checks: [{ passed: null, result: { pending: true } }],
    });
  });

  test('fails when one of them wants changes, also with enough approvals', async () => {
    expect(await approved({ from: 'maintainers' }, word('ann'), word('bob', 'changes_requested'))).toMatchObject({
      outcome: 'fail',
      checks: [{ passed: false, error: 'changes were requested by bob' }],
    });
  });

  test('takes a list of groups as their union', async () => {
    expect(await approved({ from: ['maintainers', 'security'], count: 3 }, word('ann'), word('bob'), word('eve'))).toMatchObject({
      outcome: 'ok',
    });
  });

  test.each<[string, JsonObject, string]>([
    ['the group is none', { from: 'maintainer' }, 'did you mean "maintainers"'],
    ['there are not so many people', { from: 'maintainers', count: 3 }, '2 people of maintainers can give one'],
  ])('is an error when %s', async (_what, config, error) => {
    expect(await approved(config, word('ann'))).toMatchObject({
      type: 'errored',
      checks: [{ passed: null, error: expect.stringContaining(error) }],
    });
  });

  test('is asked about the run at hand', async () => {
    const { result, subjects } = look({ check: 'pr_approval', from: 'maintainers' }, {});
    expect(await result).toMatchObject({ type: 'errored', checks: [{ passed: null, error: 'the forge does not answer' }] });
    expect(subjects).toEqual([{ runId: 'run1', params: {}, data: { pr_number: 7 } }]);
  });
});

describe('ci_status', () => {
  const run = (name: string, conclusion: CheckRun['conclusion'], status: CheckRun['status'] = 'completed'): CheckRun => ({
    name,
    status,
    conclusion,
  });
  const job = (name: string, conclusion: CheckRun['conclusion']): CheckRun => ({ ...run(name, conclusion), workflow: 'CI' });
  const own = (name: string, conclusion: CheckRun['conclusion']): CheckRun => ({
    ...run(name, conclusion, conclusion === null ? 'in_progress' : 'completed'),
    own: true,
  });
  const concluded = (config: JsonObject, ...checks: CheckRun[]) =>
    look({ check: 'ci_status', ...config }, { checks: () => ok({ headSha: 'head', checks }) }).result;
  const both = { workflows: ['test', 'lint'], expect: 'success' };

  test.each<[string, JsonObject, readonly CheckRun[], string]>([
    ['all have concluded as expected', both, [run('test', 'success'), run('lint', 'success'), run('other', 'failure')], 'ok'],
    ['one is still under way', both, [run('test', 'success'), run('lint', null, 'in_progress')], 'pending'],
    ['one is not there', both, [run('test', 'success')], 'pending'],
    ['one is red, though another is under way', both, [run('test', 'failure'), run('lint', null, 'queued')], 'fail'],
    ['one of two with the same name is red', both, [run('test', 'success'), run('test', 'timed_out'), run('lint', 'success')], 'fail'],
    ['one was skipped', both, [run('test', 'success'), run('lint', 'skipped')], 'fail'],
    ['no names are given, and all are green', {}, [run('a', 'success'), run('b', 'success')], 'ok'],
    ['what Pawl itself reports is red or under way', {}, [run('a', 'success'), own('b', 'failure'), own('c', null)], 'ok'],
    ['only Pawl itself has reported', {}, [own('b', 'success')], 'pending'],
    ['it is named, but only Pawl itself has reported it', { workflows: ['b'] }, [own('b', 'success')], 'pending'],
    ['no names are given, and one is red', { workflows: [] }, [run('a', 'success'), run('b', 'failure')], 'fail'],
    ['no names are given, and there are no checks', {}, [], 'pending'],
    ['the runner did not start', both, [run('test', 'success'), run('lint', 'startup_failure')], 'fail'],
    ['one is stale', both, [run('test', 'success'), run('lint', 'stale')], 'fail'],
    ['jobs belong to the workflow that is named', { workflows: ['CI'] }, [job('unit', 'success'), job('e2e', 'success')], 'ok'],
    ['one job of the named workflow is red', { workflows: ['CI'] }, [job('unit', 'success'), job('e2e', 'failure')], 'fail'],
    ['one job of the named workflow was left out', { workflows: ['CI'] }, [job('unit', 'success'), job('deploy', 'skipped')], 'ok'],
    ['every job of the named workflow was left out', { workflows: ['CI'] }, [job('unit', 'skipped')], 'fail'],
    ['no names are given, and one was skipped', {}, [run('a', 'success'), run('b', 'skipped'), run('c', 'neutral')], 'ok'],
    ['no names are given, and all were skipped', {}, [run('a', 'skipped')], 'pending'],
    ['a skipped check is expected', { expect: 'skipped' }, [run('a', 'skipped')], 'ok'],
    ['a failure is expected', { workflows: ['test'], expect: 'failure' }, [run('test', 'failure')], 'ok'],
  ])('when %s', async (...[, config, checks, outcome]) => {
    expect(await concluded(config, ...checks)).toMatchObject({ type: 'settled', outcome });
  });

  test.each<[string, JsonObject, readonly CheckRun[], string]>([
    ['waits for one that has not begun', {}, [run('lint', 'success')], 'pending'],
    ['passes when it is green too', {}, [run('lint', 'success'), run('test', 'success')], 'ok'],
    ['does not pass when it was skipped', {}, [run('lint', 'success'), run('test', 'skipped')], 'fail'],
    ['does not wait for it when other checks are named', { workflows: ['lint'] }, [run('lint', 'success')], 'ok'],
  ])('of a branch that requires checks %s', async (...[, config, checks, outcome]) => {
    const facts = { checks: () => ok({ headSha: 'head', checks }), requiredChecks: () => ok(['test', 'pawl: ship / review']) };
    expect(await look({ check: 'ci_status', ...config }, facts).result).toMatchObject({ type: 'settled', outcome });
  });

  test('is not judged while the forge does not tell which checks are required', async () => {
    const requiredChecks = async () => ({ result: 'unavailable', message: 'no answer' }) as const;
    const facts = { checks: () => ok({ headSha: 'head', checks: [run('a', 'success')] }), requiredChecks };
    expect(await look({ check: 'ci_status' }, facts).result).toMatchObject({
      type: 'errored',
      checks: [{ passed: null, error: 'no answer' }],
    });
  });
});

test.each([{ check: 'pr_approval', from: 'maintainers' }, { check: 'ci_status' }])('without a forge $check is an error', async (check) => {
  expect(await look(check).result).toMatchObject({
    type: 'errored',
    checks: [{ passed: null, error: expect.stringContaining('no forge') }],
  });
});
