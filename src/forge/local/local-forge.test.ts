import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type LocalForgeStage, openLocalForgeStage } from '../../../test/forge/local-stage.ts';
import { openSample, valueIn } from '../../proof/forge-suite/stage.ts';
import { describeForge } from '../../proof/forge-suite/suite.ts';
import type { Forge, ForgeAnswer } from '../forge.ts';
import { openLocalForge } from './local-forge.ts';

describeForge('local', () => openLocalForgeStage());

let stage: LocalForgeStage;
let now: number;

beforeEach(async () => {
  now = 1_700_000_000_000;
  stage = await openLocalForgeStage(() => now);
});
afterEach(() => stage.close());

describe('the controls of the local forge', () => {
  const asks: [string, (forge: Forge) => Promise<ForgeAnswer<unknown>>][] = [
    ['repository', (forge) => forge.repository()],
    ['issue', (forge) => forge.issue(1)],
    ['checks', (forge) => forge.checks('main')],
    ['createIssue', (forge) => forge.createIssue({ title: 'x', body: '', labels: [] }, 'k')],
    ['openPullRequest', (forge) => forge.openPullRequest({ title: 'x', body: '', head: 'a', base: 'main' }, 'k')],
    ['mergePullRequest', (forge) => forge.mergePullRequest({ number: 1, deleteBranch: false, expectedHead: '' }, 'k')],
    ['notify', (forge) => forge.notify({ target: 'x', people: [], message: 'y' }, 'k')],
  ];

  test('a rate limit rejects every request, in every process, until its time', async () => {
    const other = await stage.reopen();
    stage.forge.control.rateLimit(now + 1000);
    for (const [, ask] of asks) expect(await ask(other)).toMatchObject({ result: 'rate_limited', until: now + 1000 });
    now += 1000;
    expect((await other.repository()).result).toBe('ok');
  });

  test('an unavailable forge answers no request and changes nothing', async () => {
    stage.forge.control.unavailable(true);
    for (const [, ask] of asks) expect(await ask(stage.forge)).toMatchObject({ result: 'unavailable' });
    stage.forge.control.unavailable(false);
    expect(await stage.forge.issue(1)).toMatchObject({ result: 'not_found' });
  });

  test('mergeability is unknown for a set number of reads, then known', async () => {
    const { number } = await openSample(stage, 'topic');
    stage.forge.control.delayMergeability(2);
    const seen = [];
    for (let reading = 0; reading < 3; reading += 1) seen.push(valueIn(await stage.forge.pullRequest(number)).mergeable);
    expect(seen).toEqual([null, null, true]);
  });

  test('the next merge conflicts, and only that one', async () => {
    const { number, head } = await openSample(stage, 'topic');
    stage.forge.control.conflictNextMerge();
    const request = { number, deleteBranch: false, expectedHead: head };
    expect(await stage.forge.mergePullRequest(request, 'merge')).toMatchObject({ result: 'conflict' });
    expect(await stage.forge.mergePullRequest(request, 'merge')).toMatchObject({ result: 'ok' });
  });

  test('an approval can be given, outdated and removed, and each is an event', async () => {
    const { number, head } = await openSample(stage, 'topic');
    const events: string[] = [];
    stage.forge.watch(({ event, actor }) => events.push(`${event} ${actor}`));
    const approvals = async (): Promise<number> => valueIn(await stage.forge.approvals(number)).length;
    await stage.review(number, 'Ann', 'approved');
    const given = { actor: 'Ann', headSha: head, state: 'approved', at: now, permission: 'write', bot: false };
    expect(valueIn(await stage.forge.approvals(number))).toEqual([given]);
    stage.forge.control.outdate(number, 'ann');
    expect(await approvals()).toBe(0);
    await stage.review(number, 'ann', 'approved');
    stage.forge.control.dismiss(number, 'ANN');
    expect(await approvals()).toBe(0);
    expect(events).toEqual([
      'pull_request_review.submitted Ann',
      'pull_request.synchronize pawl',
      'pull_request_review.submitted ann',
      'pull_request_review.dismissed ANN',
    ]);
  });
});

describe('the repository', () => {
  test('hooks of the repository do not run, and its history has the fixed identity', async () => {
    const mark = join(stage.folder, 'hook-ran');
    const hook = join(stage.repository, 'hooks', 'reference-transaction');
    writeFileSync(hook, `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 });
    const { number, head } = await openSample(stage, 'topic');
    valueIn(await stage.forge.mergePullRequest({ number, method: 'squash', deleteBranch: true, expectedHead: head }, 'merge'));
    expect(() => readFileSync(mark)).toThrow('ENOENT');
    expect(await stage.git('log', '-1', '--format=%an <%ae> %cn %ct', 'main')).toBe('Pawl <pawl@localhost> Pawl 1700000000\n');
  });

  test.each([
    ['merge', 'Merge pull request #1 from topic\n\nAdd topic\n', 2],
    ['squash', 'Add topic (#1)\n\nAs discussed.\n', 1],
    ['rebase', 'Change topic\n', 1],
  ] as const)('a merge with the method %s creates the expected history', async (method, message, parents) => {
    const { number, head } = await openSample(stage, 'topic');
    await stage.commit('main', { 'other.txt': '1' });
    const { sha } = valueIn(await stage.forge.mergePullRequest({ number, method, deleteBranch: false, expectedHead: head }, 'merge'));
    expect((await stage.git('rev-parse', 'main')).trim()).toBe(sha);
    expect((await stage.git('log', '-1', '--format=%B', 'main')).trim()).toBe(message.trim());
    expect((await stage.git('log', '-1', '--format=%P', 'main')).trim().split(' ')).toHaveLength(parents);
  });

  const here = (place: string, ...args: string[]): string => execFileSync('git', ['-C', place, ...args], { encoding: 'utf8' });

  test('M3: a checkout of the base is updated with the merge, and uncommitted changes there are kept', async () => {
    const { number, head } = await openSample(stage, 'topic');
    const place = join(stage.folder, 'place');
    await stage.git('worktree', 'add', '--quiet', place, 'main');
    writeFileSync(join(place, 'README.md'), 'mine\n');
    writeFileSync(join(place, 'new.txt'), 'mine\n');
    const { sha } = valueIn(await stage.forge.mergePullRequest({ number, deleteBranch: true, expectedHead: head }, 'merge'));
    expect(here(place, 'rev-parse', 'HEAD').trim()).toBe(sha);
    expect(readFileSync(join(place, 'topic.txt'), 'utf8')).toBe('topic\n');
    expect(here(place, 'status', '--porcelain')).toBe(' M README.md\n?? new.txt\n');
  });

  test.each([
    ['a file that nobody added to git', 'topic.txt'],
    ['a changed file', 'README.md'],
  ])('M3: nothing is merged when %s is in the way', async (_what, file) => {
    const expectedHead = await stage.commit('topic', { 'topic.txt': 'topic\n', 'README.md': 'theirs\n' });
    const { number } = valueIn(await stage.forge.openPullRequest({ title: 't', body: '', head: 'topic', base: 'main' }, 'open'));
    const place = join(stage.folder, 'place');
    await stage.git('worktree', 'add', '--quiet', place, 'main');
    writeFileSync(join(place, file), 'mine\n');
    const before = here(place, 'status', '--porcelain');
    const answer = await stage.forge.mergePullRequest({ number, deleteBranch: true, expectedHead }, 'merge');
    expect(answer).toMatchObject({ result: 'denied', message: expect.stringMatching(new RegExp(`${place}.*${file}`, 's')) });
    expect([here(place, 'status', '--porcelain'), readFileSync(join(place, file), 'utf8')]).toEqual([before, 'mine\n']);
    expect(valueIn(await stage.forge.pullRequest(number)).state).toBe('open');
  });

  test('two concurrent merges into a checked-out base both update it', async () => {
    const [one, two] = [await openSample(stage, 'one'), await openSample(stage, 'two')];
    const place = join(stage.folder, 'place');
    await stage.git('worktree', 'add', '--quiet', place, 'main');
    const other = await stage.reopen();
    const answers = await Promise.all([
      stage.forge.mergePullRequest({ number: one.number, deleteBranch: false, expectedHead: one.head }, 'm1'),
      other.mergePullRequest({ number: two.number, deleteBranch: false, expectedHead: two.head }, 'm2'),
    ]);
    expect(answers.map(({ result }) => result)).toEqual(['ok', 'ok']);
    expect(here(place, 'status', '--porcelain')).toBe('');
    expect(['one.txt', 'two.txt'].map((file) => readFileSync(join(place, file), 'utf8'))).toEqual(['one\n', 'two\n']);
  });

  test('a merge is unavailable, not denied, while another git process has locked the checkout of the base', async () => {
    const { number, head } = await openSample(stage, 'topic');
    await stage.git('worktree', 'add', '--quiet', join(stage.folder, 'place'), 'main');
    const lock = here(join(stage.folder, 'place'), 'rev-parse', '--path-format=absolute', '--git-path', 'index.lock').trim();
    writeFileSync(lock, '');
    const request = { number, deleteBranch: false, expectedHead: head };
    expect(await stage.forge.mergePullRequest(request, 'm1')).toMatchObject({ result: 'unavailable' });
    rmSync(lock);
    expect(await stage.forge.mergePullRequest(request, 'm1')).toMatchObject({ result: 'ok' });
  });

  test('a branch that a worktree has checked out is deleted too, and the worktree keeps its files', async () => {
    const { number, head } = await openSample(stage, 'topic');
    const place = join(stage.folder, 'place');
    await stage.git('worktree', 'add', '--quiet', place, 'topic');
    expect(valueIn(await stage.forge.mergePullRequest({ number, deleteBranch: true, expectedHead: head }, 'merge')).branchDeleted).toBe(
      true,
    );
    expect(await stage.git('branch', '--list', 'topic')).toBe('');
    expect([here(place, 'rev-parse', 'HEAD').trim(), here(place, 'status', '--porcelain')]).toEqual([head, '']);
  });

  test('the branch that is checked out in the repository itself is not deleted', async () => {
    const { folder, git, commit } = await stage.clone();
    await git('checkout', '--quiet', '-b', 'topic');
    const expectedHead = await commit({ 'topic.txt': 'topic\n' });
    const forge = await openLocalForge({ repository: folder, state: join(stage.folder, 'own.db') });
    const { number } = valueIn(await forge.openPullRequest({ title: 't', body: '', head: 'topic', base: 'main' }, 'open'));
    expect(valueIn(await forge.mergePullRequest({ number, deleteBranch: true, expectedHead }, 'merge')).branchDeleted).toBe(false);
    expect([(await git('branch', '--show-current')).trim(), await git('status', '--porcelain')]).toEqual(['topic', '']);
    await forge.close();
  });

  test('a branch that starts with a dash or has a meaning for git does not exist', async () => {
    for (const ref of ['--upload-pack=x', 'main~0', 'main^{tree}', '@{-1}', ':/Change', 'HEAD', 'a..b', '', 'x\0y']) {
      expect(await stage.forge.checks(ref)).toMatchObject({ result: 'not_found' });
      expect(await stage.forge.changedFiles({ branch: ref })).toMatchObject({ result: 'not_found' });
    }
  });

  test('a repository that goes away makes the forge unavailable, not the engine', async () => {
    const { number } = await openSample(stage, 'topic');
    execFileSync('mv', [stage.repository, `${stage.repository}.gone`]);
    expect(await stage.forge.pullRequest(number)).toMatchObject({ result: 'unavailable' });
  });

  test('opening a folder that is not a repository says what to do', async () => {
    const opening = openLocalForge({ repository: stage.folder, state: stage.state });
    await expect(opening).rejects.toMatchObject({ code: 'CONFIG_INVALID', message: expect.stringContaining('git init') });
  });
});

describe('the state file', () => {
  test('only its user can read the state file and the files next to it', () => {
    const files = readdirSync(stage.folder).filter((name) => name.startsWith('forge.db'));
    expect(files.length).toBeGreaterThan(2);
    for (const name of files) expect(statSync(join(stage.folder, name)).mode & 0o077).toBe(0);
  });

  test('a state file that cannot be opened is reported with its path', async () => {
    const state = join(stage.folder, 'no-such-folder', 'forge.db');
    const opening = openLocalForge({ repository: stage.repository, state });
    await expect(opening).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', message: expect.stringContaining(state) });
  });
});

test('a state file of an earlier version is opened', async () => {
  const { number } = await openSample(stage, 'topic');
  await stage.forge.close();
  const old = new DatabaseSync(stage.state);
  old.exec('ALTER TABLE items DROP COLUMN fork; ALTER TABLE items DROP COLUMN draft');
  old.close();
  expect(valueIn(await (await stage.reopen()).pullRequest(number))).toMatchObject({ fork: false, draft: false });
});

describe('closing', () => {
  test('a closed forge emits no events, whatever other processes do', async () => {
    const other = await stage.reopen();
    const heard: string[] = [];
    other.watch(({ event }) => heard.push(event));
    await other.close();
    const { promise, resolve } = Promise.withResolvers<void>();
    stage.forge.watch(() => resolve());
    valueIn(await stage.forge.createIssue({ title: 'x', body: '', labels: [] }, 'k'));
    await promise;
    expect(heard).toEqual([]);
  });
});

describe('keys and text', () => {
  test('a key that was used for another action is rejected', async () => {
    const { number } = valueIn(await stage.forge.createIssue({ title: 'x', body: '', labels: [] }, 'k'));
    expect(await stage.forge.closeIssue({ number }, 'k')).toMatchObject({
      result: 'denied',
      message: expect.stringContaining('createIssue'),
    });
    expect(valueIn(await stage.forge.issue(number)).state).toBe('open');
  });

  test.each(['a\0b', '\ud83e half a character', ' '])('text that cannot be stored unchanged is rejected: %j', async (body) => {
    const { number } = valueIn(await stage.forge.createIssue({ title: 'x', body: '', labels: [] }, 'k'));
    expect(await stage.forge.comment({ number, body }, 'c')).toMatchObject({ result: 'denied' });
    expect(await stage.forge.createIssue({ title: body, body: '', labels: [] }, 'i')).toMatchObject({ result: 'denied' });
    expect(valueIn(await stage.forge.comments(number))).toEqual([]);
  });
});
