// Owns the part of the forge contract that connects pull requests with commits: facts about their heads, finding them by
// their branch, fetching a head, and pushing work to it.

import { expect, test } from 'vitest';
import { type ForgeStage, openSample, valueIn } from './stage.ts';

const NOWHERE = 'f'.repeat(40);

/** Tests how a forge serves heads and accepts pushes. */
export function describeGit(stage: () => ForgeStage): void {
  describeFacts(stage);
  describeFinding(stage);
  describeFetching(stage);
  describePushing(stage);
}

function describeFacts(stage: () => ForgeStage): void {
  test('a pull request has its head, its base, and that it is neither a draft nor from a fork', async () => {
    const { forge, commit } = stage();
    const { number, head } = await openSample(stage(), 'topic');
    const { defaultBranch } = valueIn(await forge.repository());
    const baseSha = await commit(defaultBranch, { 'other.txt': '1' });
    expect(valueIn(await forge.pullRequest(number))).toMatchObject({ headSha: head, baseSha, fork: false, draft: false });
  });

  test('an open pull request is found by its branch, the newest first; one that is merged is not', async () => {
    const { forge, commit } = stage();
    const { number, head } = await openSample(stage(), 'topic');
    await commit('release', { 'release.txt': '1' });
    const request = { title: 'Backport', body: '', head: 'topic', base: 'release' };
    const { number: second } = valueIn(await forge.openPullRequest(request, 'backport'));
    const numbers = async (branch: string): Promise<number[]> => valueIn(await forge.pullRequestsFrom(branch)).map((pr) => pr.number);
    expect(await numbers('topic')).toEqual([second, number]);
    expect(await numbers('no-such-branch')).toEqual([]);
    valueIn(await forge.mergePullRequest({ number, deleteBranch: false, expectedHead: head }, 'merge'));
    expect(await numbers('topic')).toEqual([second]);
  });

  test('a pull request from a fork says so, and is not found by the branch of the same name here', async () => {
    const { forge } = stage();
    const { number, head } = await stage().openFromFork('topic');
    expect(valueIn(await forge.pullRequest(number))).toMatchObject({ fork: true, headBranch: 'topic', headSha: head });
    expect(valueIn(await forge.pullRequestsFrom('topic'))).toEqual([]);
    const own = await openSample(stage(), 'topic');
    expect(own.number).not.toBe(number);
    expect(valueIn(await forge.pullRequest(number)).headSha).toBe(head);
  });

  test('a draft is not merged', async () => {
    const { forge, commit } = stage();
    const expectedHead = await commit('topic', { 'topic.txt': '1' });
    const { defaultBranch: base } = valueIn(await forge.repository());
    const request = { title: 'Soon', body: '', head: 'topic', base, draft: true };
    const { number } = valueIn(await forge.openPullRequest(request, 'open'));
    expect(valueIn(await forge.pullRequest(number)).draft).toBe(true);
    const answer = await forge.mergePullRequest({ number, deleteBranch: false, expectedHead }, 'merge');
    expect(answer).toMatchObject({ result: 'denied', message: expect.stringContaining('draft') });
  });

  test('a pull request from a fork is merged like any other', async () => {
    const { forge, read } = stage();
    const { number, head } = await stage().openFromFork('topic');
    const { defaultBranch } = valueIn(await forge.repository());
    valueIn(await forge.mergePullRequest({ number, deleteBranch: true, expectedHead: head }, 'merge'));
    expect(await read(defaultBranch, 'topic.txt')).toBe('topic\n');
  });
}

function describeFinding(stage: () => ForgeStage): void {
  test('open pull requests are found by the commit at their head, from here and from forks', async () => {
    const { forge, commit } = stage();
    const numbers = async (sha: string): Promise<readonly number[]> => valueIn(await forge.pullRequestsAt(sha));
    const own = await openSample(stage(), 'topic');
    const foreign = await stage().openFromFork('other');
    expect([await numbers(own.head), await numbers(foreign.head), await numbers(NOWHERE)]).toEqual([[own.number], [foreign.number], []]);
    const later = await commit('topic', { 'later.txt': '1' });
    expect([await numbers(own.head), await numbers(later)]).toEqual([[], [own.number]]);
    valueIn(await forge.mergePullRequest({ number: own.number, deleteBranch: false, expectedHead: later }, 'merge'));
    expect(await numbers(later)).toEqual([]);
  });

  test('open pull requests are found by the branch that they come from or go into, not by that of a fork', async () => {
    const { forge } = stage();
    const { defaultBranch } = valueIn(await forge.repository());
    const numbers = async (branch: string): Promise<readonly number[]> => valueIn(await forge.pullRequestsOn(branch));
    const own = await openSample(stage(), 'topic');
    const foreign = await stage().openFromFork('other');
    expect([await numbers('topic'), await numbers('other'), await numbers('no-such-branch')]).toEqual([[own.number], [], []]);
    expect(await numbers(defaultBranch)).toEqual([own.number, foreign.number].sort((a, b) => a - b));
    valueIn(await forge.mergePullRequest({ number: own.number, deleteBranch: false, expectedHead: own.head }, 'merge'));
    expect([await numbers('topic'), await numbers(defaultBranch)]).toEqual([[], [foreign.number]]);
  });
}

function describeFetching(stage: () => ForgeStage): void {
  test.each(['a branch', 'a fork'])('FG8: the head of %s can be fetched into a clone that does not have it', async (where) => {
    const { forge, clone } = stage();
    const { folder, git } = await clone();
    const { number, head } = where === 'a fork' ? await stage().openFromFork('topic') : await openSample(stage(), 'topic');
    const { fetchRef: ref } = valueIn(await forge.pullRequest(number));
    await expect(git('cat-file', '-e', head)).rejects.toThrow();
    expect(valueIn(await forge.fetch({ folder, ref, sha: head }))).toEqual({ sha: head });
    expect(await git('show', `${head}:topic.txt`)).toBe('topic\n');
    expect(await forge.fetch({ folder, ref, sha: head })).toMatchObject({ result: 'ok' });
  });

  test('FG8: a changed head is not fetched instead of the requested one', async () => {
    const { forge, clone, commit } = stage();
    const { folder } = await clone();
    const { number, head } = await openSample(stage(), 'topic');
    const { fetchRef: ref } = valueIn(await forge.pullRequest(number));
    const moved = await commit('topic', { 'topic.txt': 'moved\n' });
    expect(await forge.fetch({ folder, ref, sha: head })).toMatchObject({ result: 'stale_head', head: moved });
    expect(await forge.fetch({ folder, ref: 'refs/heads/gone', sha: head })).toMatchObject({ result: 'not_found' });
  });
}

function describePushing(stage: () => ForgeStage): void {
  test('a push creates a branch, adds to it, and is reported as a new head of its pull request', async () => {
    const { forge, clone, read } = stage();
    const { folder, commit } = await clone();
    const first = await commit({ 'work.txt': 'one\n' });
    expect(valueIn(await forge.push({ folder, branch: 'work', sha: first }))).toEqual({ sha: first });
    const { defaultBranch: base } = valueIn(await forge.repository());
    const { number } = valueIn(await forge.openPullRequest({ title: 'Work', body: '', head: 'work', base }, 'open'));
    const { promise: heard, resolve } = Promise.withResolvers<string>();
    forge.watch(({ event, pr }) => pr === number && resolve(event));
    const second = await commit({ 'work.txt': 'two\n' });
    valueIn(await forge.push({ folder, branch: 'work', sha: second }));
    expect(valueIn(await forge.push({ folder, branch: 'work', sha: second }))).toEqual({ sha: second });
    expect([await read('work', 'work.txt'), valueIn(await forge.pullRequest(number)).headSha]).toEqual(['two\n', second]);
    expect(await heard).toBe('pull_request.synchronize');
  });

  test('FG7: a push that would lose a commit is rejected and names it, unless that commit may be replaced', async () => {
    const { forge, clone, commit, read } = stage();
    const theirs = await commit('work', { 'theirs.txt': 'theirs\n' });
    const { folder, commit: commitHere } = await clone();
    const sha = await commitHere({ 'ours.txt': 'ours\n' });
    expect(await forge.push({ folder, branch: 'work', sha })).toMatchObject({ result: 'stale_head', head: theirs });
    expect(await forge.push({ folder, branch: 'work', sha, replaces: NOWHERE })).toMatchObject({ result: 'stale_head', head: theirs });
    expect(await read('work', 'theirs.txt')).toBe('theirs\n');
    expect(await forge.push({ folder, branch: 'work', sha, replaces: theirs })).toMatchObject({ result: 'ok' });
    expect([await read('work', 'theirs.txt'), await read('work', 'ours.txt')]).toEqual([undefined, 'ours\n']);
  });

  test('a commit that the folder does not have cannot be pushed', async () => {
    const { forge, clone } = stage();
    const { folder } = await clone();
    expect(await forge.push({ folder, branch: 'work', sha: NOWHERE })).toMatchObject({ result: 'not_found' });
  });
}
