// Owns the contract suite of forges: a forge that passes it fulfils FG1 to FG9 of `forge/forge.ts`. The test file of a
// forge calls it once, with functions to act as the people and the CI of a real forge.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { omitUndefined } from '../../base/fields.ts';
import { performAction } from '../../forge/action.ts';
import type { Forge, ForgeAnswer, ForgeEvent } from '../../forge/forge.ts';
import { describeGit } from './git.ts';
import { describeMerges } from './merge.ts';
import { describePeople } from './people.ts';
import { describeReviews } from './reviews.ts';
import { type ForgeStage, openSample, valueIn } from './stage.ts';
import { describeSurface } from './surface.ts';

const ISSUE = { title: 'Crash on start', body: 'It crashes.', labels: ['bug'] };
const TEXT = 'Ünïcode 🦊, "quotes", `$(id)`, {{ braces }}\n\ttab  two spaces\n\n<!-- hidden --> @ann Closes #1\n';
const NOWHERE = 987_654;

/** Tests that a forge fulfils the contract of `Forge`. */
export function describeForge(name: string, open: () => Promise<ForgeStage>): void {
  let stage: ForgeStage;
  describe(`the forge contract: ${name}`, () => {
    beforeEach(async () => {
      stage = await open();
    });
    afterEach(() => stage.close());
    describeIssues(() => stage);
    describeKeys(() => stage);
    describeEvents(() => stage);
    describeCursors(() => stage);
    describePullRequests(() => stage);
    describeApprovals(() => stage);
    describeMerges(() => stage);
    describeGit(() => stage);
    describePeople(() => stage);
    describeReviews(() => stage);
    describeSurface(() => stage);
    describeDiscussions(() => stage);
  });
}

function describeIssues(stage: () => ForgeStage): void {
  test('an issue has the requested fields, and closing it twice has the same effect as once', async () => {
    const { forge } = stage();
    const { number } = valueIn(await forge.createIssue(ISSUE, 'k1'));
    expect(valueIn(await forge.issue(number))).toMatchObject({ number, ...ISSUE, state: 'open' });
    valueIn(await forge.closeIssue({ number }, 'k2'));
    valueIn(await forge.closeIssue({ number }, 'k3'));
    expect(valueIn(await forge.issue(number)).state).toBe('closed');
  });

  test('labels are a set: adding an existing label or removing a missing one changes nothing', async () => {
    const { forge } = stage();
    const { number } = valueIn(await forge.createIssue(ISSUE, 'k1'));
    expect(valueIn(await forge.addLabels({ number, labels: ['bug', 'ready', 'ready'] }, 'k2'))).toEqual({
      number,
      labels: ['bug', 'ready'],
    });
    expect(valueIn(await forge.removeLabels({ number, labels: ['bug', 'never'] }, 'k3'))).toEqual({ number, labels: ['ready'] });
    expect(valueIn(await forge.issue(number)).labels).toEqual(['ready']);
  });

  test('FG6: comments come oldest first, byte for byte', async () => {
    const { forge } = stage();
    const { number } = valueIn(await forge.createIssue(ISSUE, 'k1'));
    const bodies = ['first', TEXT, 'x'.repeat(65_536)];
    for (const [index, body] of bodies.entries()) valueIn(await forge.comment({ number, body }, `c${index}`));
    const comments = valueIn(await forge.comments(number));
    expect(comments.map(({ body }) => body)).toEqual(bodies);
    expect(new Set(comments.map(({ id }) => id)).size).toBe(3);
  });

  test('an action posts its text disarmed: it mentions no one and closes nothing', async () => {
    const { forge } = stage();
    const { number } = valueIn(await forge.createIssue(ISSUE, 'k1'));
    const action = { action: 'comment', target: 'issue', message: '@ann: done. Closes #1' };
    expect(await performAction(forge, action, { subject: { issue: number }, key: 'k2' })).toMatchObject({ outcome: 'ok' });
    const [comment] = valueIn(await forge.comments(number));
    expect(comment?.body).not.toMatch(/@ann|Closes #1/);
    expect(comment?.body.replaceAll('\u200B', '')).toBe('@ann: done. Closes #1');
  });

  test('text that is too long is rejected, not cut', async () => {
    const { forge } = stage();
    const { number } = valueIn(await forge.createIssue(ISSUE, 'k1'));
    expect(await forge.comment({ number, body: 'x'.repeat(65_537) }, 'k2')).toMatchObject({ result: 'denied' });
    expect(valueIn(await forge.comments(number))).toEqual([]);
  });

  test.each<[string, (forge: Forge) => Promise<ForgeAnswer<unknown>>]>([
    ['an issue', (forge) => forge.issue(NOWHERE)],
    ['a pull request', (forge) => forge.pullRequest(NOWHERE)],
    ['comments', (forge) => forge.comments(NOWHERE)],
    ['approvals', (forge) => forge.approvals(NOWHERE)],
    ['checks', (forge) => forge.checks('no-such-branch')],
    ['changes of a pull request', (forge) => forge.changedFiles({ pr: NOWHERE })],
    ['changes of a branch', (forge) => forge.changedFiles({ branch: 'no-such-branch' })],
    ['closing', (forge) => forge.closeIssue({ number: NOWHERE }, 'k1')],
    ['labelling', (forge) => forge.addLabels({ number: NOWHERE, labels: ['x'] }, 'k1')],
    ['unlabelling', (forge) => forge.removeLabels({ number: NOWHERE, labels: ['x'] }, 'k1')],
    ['commenting', (forge) => forge.comment({ number: NOWHERE, body: 'x' }, 'k1')],
    ['merging', (forge) => forge.mergePullRequest({ number: NOWHERE, deleteBranch: false, expectedHead: '0'.repeat(40) }, 'k1')],
  ])('what does not exist is not_found: %s', async (_what, ask) => {
    expect(await ask(stage().forge)).toMatchObject({ result: 'not_found', message: expect.any(String) });
  });
}

function describeKeys(stage: () => ForgeStage): void {
  test('FG2: an action that is repeated with its key returns its first value and is not done again', async () => {
    const { forge } = stage();
    const { number } = valueIn(await forge.createIssue(ISSUE, 'issue'));
    const first = valueIn(await forge.comment({ number, body: 'once' }, 'comment'));
    const again = await Promise.all([1, 2, 3].map(() => forge.comment({ number, body: 'once' }, 'comment')));
    expect(again.map(valueIn)).toEqual([first, first, first]);
    expect(valueIn(await forge.comments(number))).toHaveLength(1);
    expect(valueIn(await forge.createIssue(ISSUE, 'issue'))).toEqual({ number });
  });

  test('FG2: a key is recognised across processes', async () => {
    const { forge, reopen } = stage();
    const { number } = valueIn(await forge.createIssue(ISSUE, 'issue'));
    const first = valueIn(await forge.comment({ number, body: 'once' }, 'comment'));
    const other = await reopen();
    expect(valueIn(await other.comment({ number, body: 'once' }, 'comment'))).toEqual(first);
    expect(valueIn(await other.comments(number))).toHaveLength(1);
  });

  test('FG2: the same text with another key is posted again', async () => {
    const { forge } = stage();
    const { number } = valueIn(await forge.createIssue(ISSUE, 'issue'));
    for (const key of ['a', 'b']) valueIn(await forge.comment({ number, body: 'ping' }, key));
    expect(valueIn(await forge.comments(number))).toHaveLength(2);
  });

  test('FG2: repeating a finished action does not restore a label that a person removed', async () => {
    const { forge } = stage();
    const { number } = valueIn(await forge.createIssue(ISSUE, 'issue'));
    valueIn(await forge.addLabels({ number, labels: ['ready'] }, 'add'));
    valueIn(await forge.removeLabels({ number, labels: ['ready'] }, 'remove'));
    valueIn(await forge.addLabels({ number, labels: ['ready'] }, 'add'));
    expect(valueIn(await forge.issue(number)).labels).toEqual(['bug']);
  });

  test('FG2: a failure is not remembered: once the cause no longer exists, the same key succeeds', async () => {
    const { forge, commit } = stage();
    const { defaultBranch: base } = valueIn(await forge.repository());
    const request = { title: 'Late', body: '', head: 'late', base };
    expect(await forge.openPullRequest(request, 'open')).toMatchObject({ result: 'not_found' });
    await commit('late', { 'late.txt': '1' });
    const { number } = valueIn(await forge.openPullRequest(request, 'open'));
    expect(valueIn(await forge.pullRequest(number)).headBranch).toBe('late');
  });
}

function describeEvents(stage: () => ForgeStage): void {
  test('events arrive in order and once, also those of another process, and none arrive after the end', async () => {
    const { forge, reopen } = stage();
    const other = await reopen();
    const heard: string[] = [];
    const ids = new Set<string>();
    const { promise, resolve } = Promise.withResolvers<void>();
    const stop = forge.watch(({ id, event, label = '' }) => {
      ids.add(id);
      heard.push(`${event} ${label}`.trim());
      if (event === 'issues.closed') resolve();
    });
    const { number } = valueIn(await forge.createIssue(ISSUE, 'k1'));
    valueIn(await other.comment({ number, body: 'seen' }, 'k2'));
    valueIn(await other.closeIssue({ number }, 'k3'));
    await promise;
    stop();
    valueIn(await forge.comment({ number, body: 'unheard' }, 'k4'));
    expect(heard).toEqual(['issues.opened', 'issues.labeled bug', 'issue_comment.created', 'issues.closed']);
    expect(ids.size).toBe(4);
  });
}

function describeCursors(stage: () => ForgeStage): void {
  test('FG9: all events after a cursor are delivered with the same ids, also those from before it was watched', async () => {
    const { forge, reopen } = stage();
    const watched = async (one: Forge, after?: string): Promise<ForgeEvent[]> => {
      const events: ForgeEvent[] = [];
      const { promise, resolve } = Promise.withResolvers<void>();
      const stop = one.watch((event) => {
        events.push(event);
        if (event.event === 'issues.closed') resolve();
      }, omitUndefined({ after }));
      if (after === undefined) {
        const { number } = valueIn(await forge.createIssue(ISSUE, 'k1'));
        valueIn(await forge.comment({ number, body: 'seen' }, 'k2'));
        valueIn(await forge.closeIssue({ number }, 'k3'));
      }
      await promise;
      stop();
      return events;
    };
    const all = await watched(forge);
    const again = await watched(await reopen(), all[0]?.cursor);
    expect(again.map(({ id, event }) => ({ id, event }))).toEqual(all.slice(1).map(({ id, event }) => ({ id, event })));
    const [, , comment] = all;
    const [{ id } = { id: undefined }] = valueIn(await forge.comments(comment?.issue ?? 0));
    expect(comment).toMatchObject({ event: 'issue_comment.created', comment: id, actor: valueIn(await forge.whoami()).login });
  });
}

function describePullRequests(stage: () => ForgeStage): void {
  test('a pull request has the head of its branch, also after a push', async () => {
    const { forge, commit } = stage();
    const { number, head } = await openSample(stage(), 'topic');
    const facts = { number, title: 'Add topic', body: 'As discussed.', headBranch: 'topic', state: 'open', mergeable: true };
    expect(valueIn(await forge.pullRequest(number))).toMatchObject({ ...facts, headSha: head });
    const next = await commit('topic', { 'topic.txt': 'more\n' });
    expect(valueIn(await forge.pullRequest(number)).headSha).toBe(next);
  });

  test('FG3: a second pull request from the same branch is the first', async () => {
    const { forge } = stage();
    const { number } = await openSample(stage(), 'topic');
    const { defaultBranch: base } = valueIn(await forge.repository());
    expect(valueIn(await forge.openPullRequest({ title: 'Again', body: '', head: 'topic', base }, 'another'))).toEqual({ number });
  });

  test('a pull request without its own commits is denied', async () => {
    const { forge } = stage();
    const { defaultBranch: base } = valueIn(await forge.repository());
    expect(await forge.openPullRequest({ title: 'Nothing', body: '', head: base, base }, 'k')).toMatchObject({ result: 'denied' });
  });

  test('a pull request that conflicts with its base is not mergeable', async () => {
    const { forge, commit } = stage();
    const { number } = await openSample(stage(), 'topic');
    const { defaultBranch } = valueIn(await forge.repository());
    await commit(defaultBranch, { 'topic.txt': 'something else\n' });
    expect(valueIn(await forge.pullRequest(number)).mergeable).toBe(false);
  });

  test('changed files are those of the branch, not those added to the base in the meantime', async () => {
    const { forge, commit } = stage();
    const { number } = await openSample(stage(), 'topic');
    const { defaultBranch } = valueIn(await forge.repository());
    await commit(defaultBranch, { 'other.txt': '1' });
    await commit('topic', { 'src/ä b.ts': '1' });
    const expected = [
      { path: 'src/ä b.ts', status: 'added' },
      { path: 'topic.txt', status: 'added' },
    ];
    expect(valueIn(await forge.changedFiles({ pr: number }))).toEqual(expected);
    expect(valueIn(await forge.changedFiles({ branch: 'topic' }))).toEqual(expected);
  });

  test('a file that was moved is renamed, with the path it had', async () => {
    const { forge, clone } = stage();
    const { folder, git, commit } = await clone();
    await git('mv', 'README.md', 'START.md');
    const sha = await commit({});
    valueIn(await forge.push({ folder, branch: 'moved', sha }));
    const renamed = [{ path: 'START.md', status: 'renamed', from: 'README.md' }];
    expect(valueIn(await forge.changedFiles({ branch: 'moved' }))).toEqual(renamed);
  });

  test('checks belong to a commit: a push leaves the new head without any', async () => {
    const { forge, commit, check } = stage();
    const { head } = await openSample(stage(), 'topic');
    await check('topic', { name: 'unit', status: 'in_progress', conclusion: null });
    await check('topic', { name: 'unit', status: 'completed', conclusion: 'success' });
    expect(valueIn(await forge.checks('topic'))).toEqual([{ name: 'unit', status: 'completed', conclusion: 'success' }]);
    await commit('topic', { 'topic.txt': 'more\n' });
    expect(valueIn(await forge.checks('topic'))).toEqual([]);
    expect(valueIn(await forge.checks(head))).toHaveLength(1);
  });
}

function describeApprovals(stage: () => ForgeStage): void {
  const words = async (pr: number): Promise<string[]> =>
    valueIn(await stage().forge.approvals(pr)).map(({ actor, state }) => `${actor} ${state}`);

  test('FG5: only the latest review of each person counts', async () => {
    const { number, head } = await openSample(stage(), 'topic');
    await stage().review(number, 'ann', 'approved');
    await stage().review(number, 'ann', 'approved');
    await stage().review(number, 'bob', 'approved');
    await stage().review(number, 'bob', 'changes_requested');
    expect(await words(number)).toEqual(['ann approved', 'bob changes_requested']);
    expect(valueIn(await stage().forge.approvals(number)).every(({ headSha }) => headSha === head)).toBe(true);
  });

  test('FG5: a push removes approvals', async () => {
    const { number } = await openSample(stage(), 'topic');
    await stage().review(number, 'ann', 'approved');
    await stage().commit('topic', { 'topic.txt': 'slipped in\n' });
    expect(await words(number)).toEqual([]);
  });
}

function describeDiscussions(stage: () => ForgeStage): void {
  test('a reply in a discussion is added once and reads back unchanged; an unknown discussion is not_found', async () => {
    const { forge } = stage();
    const number = await stage().discussion('Which database?');
    const { id } = valueIn(await forge.replyToDiscussion({ number, body: 'SQLite.' }, 'd1'));
    expect(valueIn(await forge.replyToDiscussion({ number, body: 'SQLite.' }, 'd1'))).toEqual({ id });
    const { login } = valueIn(await forge.whoami());
    expect(valueIn(await forge.discussionReplies(number))).toEqual([{ id, author: login, body: 'SQLite.' }]);
    expect(await forge.replyToDiscussion({ number: 999, body: 'x' }, 'd2')).toMatchObject({ result: 'not_found' });
    expect(await forge.replyToDiscussion({ number, body: ' ' }, 'd3')).toMatchObject({ result: 'denied' });
    expect(valueIn(await forge.done('d'))).toMatchObject([{ key: 'd1', action: 'replyToDiscussion' }]);
  });

  test('a repository names its default branch', async () => {
    expect(valueIn(await stage().forge.repository())).toMatchObject({ defaultBranch: 'main' });
  });
}
