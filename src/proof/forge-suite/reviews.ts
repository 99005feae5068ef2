// Owns the part of the forge contract about what the account of the engine adds to a pull request: reviews, checks, and
// requests for reviews.

import { expect, test } from 'vitest';
import { type ForgeStage, openSample, valueIn } from './stage.ts';

/** Tests reviews and checks by the account of the engine. */
export function describeReviews(stage: () => ForgeStage): void {
  test('a review that only comments is not an approval, is submitted once, and can have comments on lines', async () => {
    const { forge } = stage();
    const { number, head } = await openSample(stage(), 'topic');
    const comments = [{ path: 'topic.txt', line: 1, body: 'Why?' }];
    const request = { number, head, state: 'commented' as const, body: 'Looks fine.', comments };
    const { id } = valueIn(await forge.submitReview(request, 'k1'));
    expect(valueIn(await forge.submitReview(request, 'k1'))).toEqual({ id });
    expect(valueIn(await forge.approvals(number))).toEqual([]);
  });

  test('FG4: a review of an outdated head is rejected, and the error names the new head', async () => {
    const { forge, commit } = stage();
    const { number, head } = await openSample(stage(), 'topic');
    const moved = await commit('topic', { 'topic.txt': 'slipped in\n' });
    const request = { number, head, state: 'commented' as const, body: 'Looks fine.' };
    expect(await forge.submitReview(request, 'k1')).toMatchObject({ result: 'stale_head', head: moved });
  });

  test('the forge does not approve a pull request that it opened', async () => {
    const { forge } = stage();
    const { number, head } = await openSample(stage(), 'topic');
    const request = { number, head, state: 'approved' as const, body: 'Mine.' };
    expect(await forge.submitReview(request, 'k1')).toMatchObject({ result: 'denied' });
    expect(valueIn(await forge.approvals(number))).toEqual([]);
  });

  test('the forge can request changes on a pull request of another person', async () => {
    const { forge } = stage();
    const { number, head } = await stage().openFromFork('topic');
    const request = { number, head, state: 'changes_requested' as const, body: 'Add a test.' };
    valueIn(await forge.submitReview(request, 'k1'));
    const { login } = valueIn(await forge.whoami());
    expect(valueIn(await forge.approvals(number))).toMatchObject([{ actor: login, state: 'changes_requested' }]);
  });

  test('a check that the forge sets is read back, and the latest report replaces the one before', async () => {
    const { forge } = stage();
    const { head: sha } = await openSample(stage(), 'topic');
    const running = { sha, name: 'pawl/review', status: 'in_progress' as const, conclusion: null, title: 'The review is running' };
    valueIn(await forge.setCheck(running, 'k1'));
    expect(valueIn(await forge.checks(sha))).toMatchObject([{ name: 'pawl/review', status: 'in_progress', conclusion: null }]);
    const green = { ...running, status: 'completed' as const, conclusion: 'success' as const, summary: 'Two people approve.' };
    valueIn(await forge.setCheck(green, 'k2'));
    expect(valueIn(await forge.checks(sha))).toMatchObject([{ name: 'pawl/review', status: 'completed', conclusion: 'success' }]);
  });

  test('a check of a commit that does not exist is not_found', async () => {
    const report = { sha: 'f'.repeat(40), name: 'x', status: 'completed' as const, conclusion: 'success' as const };
    expect(await stage().forge.setCheck(report, 'k1')).toMatchObject({ result: 'not_found' });
  });

  test('people are asked for a review once until they submit it; the author is not asked', async () => {
    const { forge, review } = stage();
    const { number } = await openSample(stage(), 'topic');
    expect(valueIn(await forge.requestReviewers({ number, people: ['ann', 'bob'] }, 'k1'))).toEqual({ reviewers: ['ann', 'bob'] });
    expect(valueIn(await forge.requestReviewers({ number, people: ['Ann'] }, 'k2'))).toEqual({ reviewers: ['ann', 'bob'] });
    await review(number, 'ann', 'approved');
    expect(valueIn(await forge.pullRequest(number)).reviewers).toEqual(['bob']);
    const { login } = valueIn(await forge.whoami());
    expect(await forge.requestReviewers({ number, people: [login] }, 'k3')).toMatchObject({ result: 'denied' });
  });

  describeAssignment(stage);
}

function describeAssignment(stage: () => ForgeStage): void {
  test('people are assigned to an issue or a pull request, each once', async () => {
    const { forge } = stage();
    const { number: issue } = valueIn(await forge.createIssue({ title: 'Search', body: '', labels: [] }, 'i'));
    const { number: pr } = await openSample(stage(), 'topic');
    for (const number of [issue, pr]) {
      expect(valueIn(await forge.assign({ number, people: ['ann', 'bob'] }, `${number}/1`))).toEqual({ assignees: ['ann', 'bob'] });
      expect(valueIn(await forge.assign({ number, people: ['Ann', 'carol'] }, `${number}/2`))).toEqual({
        assignees: ['ann', 'bob', 'carol'],
      });
      expect(valueIn(await forge.assign({ number, people: ['eve'] }, `${number}/1`))).toEqual({ assignees: ['ann', 'bob'] });
    }
    expect(valueIn(await forge.issue(issue)).assignees).toEqual(['ann', 'bob', 'carol']);
    expect(valueIn(await forge.pullRequest(pr)).assignees).toEqual(['ann', 'bob', 'carol']);
    expect(await forge.assign({ number: 999, people: ['ann'] }, 'none')).toMatchObject({ result: 'not_found' });
  });
}
