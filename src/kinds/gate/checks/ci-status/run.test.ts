import { describe, expect, test } from 'vitest';
import { forgeCase, gateWith, ok, traitsIn } from '../../../../../test/gate-rig.ts';
import type { JsonObject } from '../../../../base/json.ts';
import type { CheckRun } from '../../../../forge/forge.ts';
import { describeCheck } from '../../../../proof/check-suite.ts';
import { ciStatusCheck } from './check.ts';

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
    gateWith({ check: 'ci_status', ...config }, { checks: () => ok({ headSha: 'head', checks }) }).result;
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
  ])('ci_status on a branch that requires checks %s', async (...[, config, checks, outcome]) => {
    const facts = { checks: () => ok({ headSha: 'head', checks }), requiredChecks: () => ok(['test', 'pawl: ship / review']) };
    expect(await gateWith({ check: 'ci_status', ...config }, facts).result).toMatchObject({ type: 'settled', outcome });
  });

  test('is not judged while the forge does not tell which checks are required', async () => {
    const requiredChecks = async () => ({ result: 'unavailable', message: 'no answer' }) as const;
    const facts = { checks: () => ok({ headSha: 'head', checks: [run('a', 'success')] }), requiredChecks };
    expect(await gateWith({ check: 'ci_status' }, facts).result).toMatchObject({
      type: 'errored',
      checks: [{ passed: null, error: 'no answer' }],
    });
  });
});

describeCheck(ciStatusCheck, {
  passes: forgeCase({}, true),
  fails: forgeCase({}, false),
  cannotDecide: { config: {} },
});

test('ci_status declares its traits', () => {
  expect(traitsIn(ciStatusCheck)).toEqual({ readsFiles: false, requiredAtMerge: true, checksWork: true, independentOfRun: true });
});
