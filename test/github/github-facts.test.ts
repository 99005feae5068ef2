// Facts about GitHub that are easy to get wrong: what moves, what is dismissed, what has not begun, and errors with the status 200.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { MergeRequest } from '../../src/forge/forge.ts';
import { openSample, valueIn } from '../../src/proof/forge-suite/stage.ts';
import { type GitHubStage, openGitHubStage } from './stage.ts';

const REPO = '/repos/octo/project';
const ISSUE = { title: 'Crash on start', body: 'It crashes.', labels: [] };

let stage: GitHubStage;
beforeEach(async () => {
  stage = await openGitHubStage();
});
afterEach(() => stage.close());

test('an issue that was transferred no longer exists: nothing of the other repository is read or changed', async () => {
  const { number } = valueIn(await stage.forge.createIssue(ISSUE, 'k1'));
  valueIn(await stage.forge.issue(number));
  stage.hub.moved.set(`${REPO}/issues/${number}`, '/repositories/2/issues/9');
  const gone = { result: 'not_found', message: expect.stringContaining('moved to another repository') };
  expect(await stage.forge.issue(number)).toMatchObject(gone);
  expect(await stage.forge.comment({ number, body: 'Hello' }, 'k2')).toMatchObject(gone);
  expect(await stage.forge.closeIssue({ number }, 'k3')).toMatchObject(gone);
  expect(await stage.forge.addLabels({ number, labels: ['bug'] }, 'k4')).toMatchObject(gone);
  expect(stage.hub.log.filter((line) => line.includes('/repositories/2'))).toEqual([]);
});

test('an issue that was transferred makes no login reach another server', async () => {
  const { number } = valueIn(await stage.forge.createIssue(ISSUE, 'k1'));
  stage.hub.faults.push({
    on: `GET ${REPO}/issues/${number}`,
    status: 301,
    headers: { location: 'http://127.0.0.1:9/repositories/1/issues/1' },
  });
  expect(await stage.forge.issue(number)).toMatchObject({ result: 'not_found', message: expect.stringContaining('moved to another') });
});

describe('a repository that was renamed', () => {
  beforeEach(() => {
    stage.hub.moved.set(REPO, '/repositories/1');
    stage.hub.state.name = 'shop';
  });

  test('a repository that was renamed is read and written as before, each request once', async () => {
    const { number } = valueIn(await stage.forge.createIssue(ISSUE, 'k1'));
    valueIn(await stage.forge.comment({ number, body: 'Hello' }, 'k2'));
    expect(valueIn(await stage.forge.issue(number))).toMatchObject({ title: ISSUE.title, body: ISSUE.body });
    expect(valueIn(await stage.forge.comments(number)).map(({ body }) => body)).toEqual(['Hello']);
    valueIn(await stage.forge.closeIssue({ number }, 'k3'));
    expect(valueIn(await stage.forge.issue(number)).state).toBe('closed');
    expect(stage.hub.state.items.size).toBe(1);
    expect(valueIn(await stage.forge.repository()).name).toBe('octo/shop');
  });

  test('a repository that was renamed still has its pull requests by their branch, and merges them', async () => {
    const { number, head } = await openSample(stage, 'feature');
    expect(valueIn(await stage.forge.pullRequestsFrom('feature')).map((pr) => [pr.number, pr.fork])).toEqual([[number, false]]);
    expect(valueIn(await stage.forge.pullRequestsOn('feature'))).toEqual([number]);
    expect(await stage.forge.mergePullRequest({ number, deleteBranch: true, expectedHead: head }, 'm')).toMatchObject({ result: 'ok' });
  });
});

test('a dismissed review also invalidates an earlier approval of the same person', async () => {
  const { number } = await openSample(stage, 'feature');
  await stage.review(number, 'ann', 'approved');
  await stage.review(number, 'ann', 'approved');
  await stage.review(number, 'bob', 'approved');
  const approvals = async (): Promise<string[]> => valueIn(await stage.forge.approvals(number)).map(({ actor }) => actor);
  expect(await approvals()).toEqual(['ann', 'bob']);
  const last = stage.hub.state.reviews.findLast(({ user }) => user === 'ann');
  if (last === undefined) throw new Error('there is no review');
  Object.assign(last, { state: 'DISMISSED' });
  expect(await approvals()).toEqual(['bob']);
  await stage.review(number, 'ann', 'approved');
  expect(await approvals()).toEqual(['bob', 'ann']);
});

describe('a merge', () => {
  let request: MergeRequest;
  beforeEach(async () => {
    const { number, head } = await openSample(stage, 'feature');
    request = { number, deleteBranch: false, expectedHead: head, waits: { visit: 'run/merge#1', forMs: 3_600_000 } };
  });
  const merge = (key: string) => stage.forge.mergePullRequest(request, key);

  test('a merge waits for a required check that has not begun', async () => {
    stage.hub.state.required.set('main', ['lint', 'unit']);
    stage.hub.state.mergeRefusal = '2 of 2 required status checks are expected.';
    await stage.check('feature', { name: 'lint', status: 'completed', conclusion: 'success' });
    expect(await merge('k/1')).toMatchObject({ result: 'queued', message: expect.stringMatching(/required checks: unit$/) });
    await stage.check('feature', { name: 'unit', status: 'completed', conclusion: 'success' });
    stage.hub.state.mergeRefusal = undefined;
    expect(await merge('k/2')).toMatchObject({ result: 'ok' });
  });

  test('a merge that another person just started is tried again, and so is one that GitHub cannot evaluate yet', async () => {
    stage.hub.state.mergeRefusal = 'Merge already in progress';
    expect(await merge('k/1')).toMatchObject({ result: 'unavailable', until: expect.any(Number) });
    stage.hub.state.mergeRefusal = 'Pull Request is not mergeable';
    stage.hub.state.unknownMergeability = 10;
    expect(await merge('k/2')).toMatchObject({ result: 'unavailable' });
    stage.hub.state.unknownMergeability = 0;
    expect(await merge('k/3')).toMatchObject({ result: 'denied' });
    stage.hub.state.mergeRefusal = undefined;
    expect(await merge('k/4')).toMatchObject({ result: 'ok' });
  });
});

const ON = 'POST /graphql';
const read = () => stage.forge.discussionReplies(1);

test('an error of the GraphQL API, which has the status 200, is an outage, a limit with its time, or a rejection', async () => {
  await stage.discussion('Ideas');
  stage.hub.faults.push({ on: ON, status: 200, message: 'Something went wrong while executing your query. Please include `1234`.' });
  expect(await read()).toMatchObject({ result: 'unavailable', until: expect.any(Number) });
  stage.hub.faults.push({ on: ON, status: 200, message: 'You have exceeded a secondary rate limit. Please wait a few minutes.' });
  expect(await read()).toMatchObject({ result: 'rate_limited' });
  const reset = Math.ceil(Date.now() / 1000) + 1800;
  const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(reset) };
  stage.hub.faults.push({ on: ON, status: 200, type: 'RATE_LIMITED', message: 'API rate limit exceeded for user ID 1.', headers });
  expect(await read()).toMatchObject({ result: 'rate_limited', until: reset * 1000 });
  stage.hub.faults.push({ on: ON, status: 200, type: 'FORBIDDEN', message: 'Resource not accessible by integration' });
  expect(await read()).toMatchObject({ result: 'denied' });
  expect(valueIn(await read())).toEqual([]);
});
