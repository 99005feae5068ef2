import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type LocalForgeStage, openLocalForgeStage } from '../../test/forge/local-stage.ts';
import type { JsonObject } from '../base/json.ts';
import { FORGE_ACTIONS } from '../definition/forge/forge-action.ts';
import { openSample, valueIn } from '../proof/forge-suite/stage.ts';
import { type ActionContext, type ActionResult, performAction } from './action.ts';

let stage: LocalForgeStage;
let issue: number;

beforeEach(async () => {
  stage = await openLocalForgeStage();
  issue = valueIn(await stage.forge.createIssue({ title: 'Add search', body: '', labels: ['feature'] }, 'issue')).number;
});
afterEach(() => stage.close());

const perform = (action: string, fields: JsonObject, scene: Partial<ActionContext> = {}): Promise<ActionResult> =>
  performAction(stage.forge, { action, ...fields }, { subject: { issue }, key: 'key', ...scene });

describe('actions', () => {
  test("close_issue closes the given issue, by number or text, or else the run's own", async () => {
    const other = valueIn(await stage.forge.createIssue({ title: 'Other', body: '', labels: [] }, 'other')).number;
    expect(await perform('close_issue', { issue: String(other) }, { key: 'a' })).toEqual({ outcome: 'ok', value: { number: other } });
    expect(await perform('close_issue', {}, { key: 'b' })).toEqual({ outcome: 'ok', value: { number: issue } });
    expect(valueIn(await stage.forge.issue(issue)).state).toBe('closed');
  });

  test('create_issue opens one with disarmed text', async () => {
    const made = await perform('create_issue', { title: 'For @ann', body: 'Fixes #1', labels: ['x'] });
    const facts = valueIn(await stage.forge.issue(issue + 1));
    expect(made).toEqual({ outcome: 'ok', value: { number: issue + 1 } });
    expect(facts).toMatchObject({ title: 'For @\u200Bann', body: 'F\u200Bixes #1', labels: ['x'], author: 'pawl' });
  });

  test('label removes and adds, and after a crash between the two repeats neither', async () => {
    expect(await perform('label', { add: ['done'], remove: 'feature' })).toEqual({ outcome: 'ok', value: { labels: ['done'] } });
    valueIn(await stage.forge.addLabels({ number: issue, labels: ['feature'] }, 'somebody'));
    await perform('label', { add: ['done'], remove: 'feature' });
    expect(valueIn(await stage.forge.issue(issue)).labels).toEqual(['done', 'feature']);
  });

  test('label_issue adds a label to the issue, also where there is a pull request', async () => {
    await perform('label_issue', { add: 'needs-human' }, { subject: { issue, pr: 99 } });
    expect(valueIn(await stage.forge.issue(issue)).labels).toEqual(['feature', 'needs-human']);
  });

  test('comment goes to the target, and declared mentions stay unchanged', async () => {
    const { number: pr } = await openSample(stage, 'topic');
    const scene = { subject: { issue, pr }, declared: { mentions: ['ann'], closes: [issue] } };
    const message = `@ann @bob: Closes #${issue}`;
    await perform('comment', { target: 'pr', message }, scene);
    expect(valueIn(await stage.forge.comments(pr)).map(({ body }) => body)).toEqual([`@ann @\u200Bbob: Closes #${issue}`]);
    expect(valueIn(await stage.forge.comments(issue))).toEqual([]);
  });

  test('notify notifies the members of a group, with a default message', async () => {
    await perform('notify', { target: 'maintainers' }, { groups: { maintainers: ['ann', 'bob'] } });
    await perform('notify', { target: 'dora', message: 'Look at @carl' }, { key: 'other', groups: {} });
    const at = expect.any(Number);
    expect(stage.forge.control.notifications()).toEqual([
      { target: 'maintainers', people: ['ann', 'bob'], message: `maintainers: issue #${issue} needs your attention.`, number: issue, at },
      { target: 'dora', people: ['dora'], message: 'Look at @\u200Bcarl', number: issue, at },
    ]);
  });

  test('merge_pr merges the approved head', async () => {
    const { number: pr, head } = await openSample(stage, 'topic');
    const merged = await perform('merge_pr', { method: 'squash', delete_branch: true }, { subject: { issue, pr, head } });
    expect(merged).toMatchObject({ outcome: 'ok', value: { branchDeleted: true } });
    expect(await stage.git('log', '--format=%s', 'main', '-1')).toBe('Add topic (#2)\n');
  });

  test('merge_pr without a head merges the current one, and a repeat with its key returns the same', async () => {
    const { number: pr } = await openSample(stage, 'topic');
    const first = await perform('merge_pr', { delete_branch: true }, { subject: { pr } });
    expect(first.outcome).toBe('ok');
    expect(await perform('merge_pr', { delete_branch: true }, { subject: { pr } })).toEqual(first);
  });
});

describe('outcomes', () => {
  test('a conflict is conflict, a failed check is ci_failure, and a changed head is an error that says so', async () => {
    const { number: pr, head } = await openSample(stage, 'topic');
    const merge = (subject: ActionContext['subject']): Promise<ActionResult> => perform('merge_pr', {}, { subject });
    stage.forge.control.conflictNextMerge();
    expect(await merge({ pr, head })).toMatchObject({ outcome: 'conflict', reason: 'conflict', error: expect.stringContaining('#2') });
    await stage.check('topic', { name: 'unit', status: 'completed', conclusion: 'timed_out' });
    expect(await merge({ pr, head })).toMatchObject({ outcome: 'ci_failure', reason: 'ci_failure' });
    await stage.commit('topic', { 'more.txt': '1' });
    expect(await merge({ pr, head })).toMatchObject({ outcome: 'stale_head', reason: 'stale_head' });
  });

  test('a rate limit is an error with the time of the next attempt', async () => {
    const until = Date.now() + 60_000;
    stage.forge.control.rateLimit(until);
    expect(await perform('close_issue', {})).toMatchObject({ outcome: 'error', reason: 'rate_limited', until });
  });

  test.each<[string, { name: string; config: JsonObject; says: string }]>([
    ['an unknown action', { name: 'merge_rp', config: {}, says: 'did you mean "merge_pr"?' }],
    ['a name of the language', { name: 'constructor', config: {}, says: 'unknown action' }],
    ['an unknown field', { name: 'merge_pr', config: { methd: 'squash' }, says: 'did you mean "method"?' }],
    ['a method that does not exist', { name: 'merge_pr', config: { method: 'octopus' }, says: 'use merge, squash, rebase' }],
    ['a flag that is a text', { name: 'merge_pr', config: { delete_branch: 'yes' }, says: 'true or false' }],
    ['an issue that is not a number', { name: 'close_issue', config: { issue: '12; rm' }, says: 'not the number of an issue' }],
    ['an issue that is not a whole number', { name: 'close_issue', config: { issue: 1.5 }, says: 'not the number of an issue' }],
    ['no labels', { name: 'label', config: {}, says: '"add" or "remove"' }],
    ['labels that are numbers', { name: 'label', config: { add: [1] }, says: 'list of labels' }],
    ['an empty message', { name: 'comment', config: { target: 'issue', message: ' ' }, says: '"message"' }],
    ['another target', { name: 'comment', config: { target: 'wiki', message: 'x' }, says: 'issue or pr' }],
    ['a pull request that is not there yet', { name: 'comment', config: { target: 'pr', message: 'x' }, says: 'not about a pull request' }],
  ])('an invalid config is an error and does nothing: %s', async (_what, { name, config, says }) => {
    const events: string[] = [];
    stage.forge.watch(({ event }) => events.push(event));
    const scene = name === 'merge_pr' ? { subject: { issue, pr: 99 } } : {};
    const result = await perform(name, config, scene);
    expect(result).toMatchObject({ outcome: 'error', reason: 'invalid', error: expect.stringContaining(says) });
    expect(events).toEqual([]);
  });

  test('merge_pr without a pull request says what is missing', async () => {
    expect(await perform('merge_pr', {})).toMatchObject({
      outcome: 'error',
      reason: 'invalid',
      error: expect.stringContaining('earlier stage'),
    });
  });

  test('the names of the actions are those that workflows use', () => {
    expect(FORGE_ACTIONS).toEqual(['merge_pr', 'close_issue', 'create_issue', 'label', 'label_issue', 'notify', 'comment']);
  });
});
