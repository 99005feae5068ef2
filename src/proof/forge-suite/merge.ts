// Owns the part of the forge contract about merging: only the expected head is merged, only once, and failures are values.

import { expect, test } from 'vitest';
import type { MergeMethod } from '../../forge/forge.ts';
import { type ForgeStage, openSample, valueIn } from './stage.ts';

/** Tests how a forge merges. */
export function describeMerges(stage: () => ForgeStage): void {
  describeLanding(stage);
  describeRefusals(stage);
}

function describeLanding(stage: () => ForgeStage): void {
  test.each<MergeMethod>(['merge', 'squash', 'rebase'])('%s merges the work of the branch and keeps that of the base', async (method) => {
    const { forge, commit, read } = stage();
    const { number } = await openSample(stage(), 'topic');
    const { defaultBranch } = valueIn(await forge.repository());
    await commit(defaultBranch, { 'other.txt': 'theirs\n' });
    const expectedHead = await commit('topic', { 'second.txt': 'second\n' });
    const merged = valueIn(await forge.mergePullRequest({ number, method, deleteBranch: true, expectedHead }, 'merge'));
    expect(merged.branchDeleted).toBe(true);
    expect(await read(defaultBranch, 'topic.txt')).toBe('topic\n');
    expect(await read(defaultBranch, 'second.txt')).toBe('second\n');
    expect(await read(defaultBranch, 'other.txt')).toBe('theirs\n');
    expect(await read('topic', 'topic.txt')).toBeUndefined();
    expect(valueIn(await forge.pullRequest(number))).toMatchObject({ state: 'merged', headSha: expectedHead });
    expect(valueIn(await forge.changedFiles({ pr: number })).map(({ path }) => path)).toEqual(['second.txt', 'topic.txt']);
  });

  test('FG2, FG3: a repeated merge request, with the same key or another, returns the same merge', async () => {
    const { forge, reopen } = stage();
    const { number, head } = await openSample(stage(), 'topic');
    const request = { number, deleteBranch: false, expectedHead: head };
    const first = valueIn(await forge.mergePullRequest(request, 'merge'));
    const other = await reopen();
    expect(valueIn(await other.mergePullRequest(request, 'merge'))).toEqual(first);
    expect(valueIn(await other.mergePullRequest(request, 'retry')).sha).toBe(first.sha);
  });

  test('FG2: concurrent requests for the same merge merge it once', async () => {
    const { forge, reopen } = stage();
    const { number, head } = await openSample(stage(), 'topic');
    const request = { number, method: 'squash' as const, deleteBranch: true, expectedHead: head };
    const other = await reopen();
    const answers = await Promise.all([forge, other, forge, other].map((client) => client.mergePullRequest(request, 'merge')));
    expect(new Set(answers.map((answer) => valueIn(answer).sha)).size).toBe(1);
  });

  test('pull requests that are merged at the same time are both merged', async () => {
    const { forge, reopen, read } = stage();
    const one = await openSample(stage(), 'one');
    const two = await openSample(stage(), 'two');
    const other = await reopen();
    const answers = await Promise.all([
      forge.mergePullRequest({ number: one.number, method: 'squash', deleteBranch: false, expectedHead: one.head }, 'm1'),
      other.mergePullRequest({ number: two.number, method: 'squash', deleteBranch: false, expectedHead: two.head }, 'm2'),
    ]);
    expect(answers.map(({ result }) => result)).toEqual(['ok', 'ok']);
    const { defaultBranch } = valueIn(await forge.repository());
    expect([await read(defaultBranch, 'one.txt'), await read(defaultBranch, 'two.txt')]).toEqual(['one\n', 'two\n']);
  });
}

function describeRefusals(stage: () => ForgeStage): void {
  test('FG4: a head that changed since the approval is not merged, and the result names the new one', async () => {
    const { forge, commit, read } = stage();
    const { number, head } = await openSample(stage(), 'topic');
    const moved = await commit('topic', { 'topic.txt': 'slipped in\n' });
    const answer = await forge.mergePullRequest({ number, deleteBranch: true, expectedHead: head }, 'merge');
    expect(answer).toMatchObject({ result: 'stale_head', head: moved });
    const { defaultBranch } = valueIn(await forge.repository());
    expect(await read(defaultBranch, 'topic.txt')).toBeUndefined();
    expect(await read('topic', 'topic.txt')).toBe('slipped in\n');
    expect(valueIn(await forge.pullRequest(number)).state).toBe('open');
  });

  test.each<MergeMethod>(['merge', 'squash', 'rebase'])('a conflict is returned as a value, and nothing changes: %s', async (method) => {
    const { forge, commit, read } = stage();
    const { number, head } = await openSample(stage(), 'topic');
    const { defaultBranch } = valueIn(await forge.repository());
    await commit(defaultBranch, { 'topic.txt': 'theirs\n' });
    const answer = await forge.mergePullRequest({ number, method, deleteBranch: true, expectedHead: head }, 'merge');
    expect(answer).toMatchObject({ result: 'conflict', message: expect.stringContaining('topic.txt') });
    expect(await read(defaultBranch, 'topic.txt')).toBe('theirs\n');
    expect(valueIn(await forge.pullRequest(number)).state).toBe('open');
  });

  test('a head with a failed check is not merged, and the result names the check; once the check passes, it is merged', async () => {
    const { forge, check } = stage();
    const { number, head } = await openSample(stage(), 'topic');
    const request = { number, deleteBranch: false, expectedHead: head };
    await check('topic', { name: 'unit', status: 'completed', conclusion: 'failure' });
    expect(await forge.mergePullRequest(request, 'merge')).toMatchObject({
      result: 'ci_failure',
      message: expect.stringContaining('unit'),
    });
    await check('topic', { name: 'unit', status: 'completed', conclusion: 'success' });
    expect(await forge.mergePullRequest(request, 'merge')).toMatchObject({ result: 'ok' });
  });
}
