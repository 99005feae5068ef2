// What GitHub can do to a driver: outages, limits, lost responses, other people, rules, and a process that dies.

import { spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { GitHubAuth } from '../../src/forge/github/login.ts';
import { openSample, valueIn } from '../../src/proof/forge-suite/stage.ts';
import { APP } from './check-handlers.ts';
import { LOGIN, TOKEN } from './server.ts';
import { type GitHubStage, openGitHubStage } from './stage.ts';

const REPO = '/repos/octo/project';
const ISSUE = { title: 'Crash on start', body: 'It crashes.', labels: [] };

let stage: GitHubStage;

beforeEach(async () => {
  stage = await openGitHubStage();
});
afterEach(() => stage.close());

/** The requests of the log that match. */
function sent(part: string): string[] {
  return stage.hub.log.filter((line) => line.includes(part));
}

describe('errors by class', () => {
  test('a read is retried after a 502, a write is not', async () => {
    stage.hub.faults.push({ on: `GET ${REPO}/issues/1`, status: 502 }, { on: `POST ${REPO}/issues`, status: 502 });
    expect(await stage.forge.createIssue(ISSUE, 'k1')).toMatchObject({ result: 'unavailable', message: expect.stringContaining('502') });
    expect(sent(`POST ${REPO}/issues`)).toHaveLength(1);
    valueIn(await stage.forge.createIssue(ISSUE, 'k1'));
    valueIn(await stage.forge.issue(1));
    expect(sent(`GET ${REPO}/issues/1`).map((line) => line.slice(-3))).toEqual(['502', '200']);
  });

  test('an outage with an end time is a wait until then', async () => {
    const before = Date.now();
    stage.hub.faults.push({ on: `POST ${REPO}/issues`, status: 503, headers: { 'retry-after': '120' } });
    const answer = await stage.forge.createIssue(ISSUE, 'k1');
    expect(answer).toMatchObject({ result: 'unavailable' });
    expect('until' in answer ? answer.until : 0).toBeGreaterThanOrEqual(before + 120_000);
  });

  test('a secondary limit pauses every request until its time, without asking GitHub again', async () => {
    const before = Date.now();
    const message = 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.';
    stage.hub.faults.push({ on: `POST ${REPO}/issues`, status: 403, message });
    const answer = await stage.forge.createIssue(ISSUE, 'k1');
    expect(answer).toMatchObject({ result: 'rate_limited' });
    expect('until' in answer ? answer.until : 0).toBeGreaterThanOrEqual(before + 60_000);
    const count = stage.hub.log.length;
    expect(await stage.forge.repository()).toMatchObject({ result: 'rate_limited' });
    expect(stage.hub.log).toHaveLength(count);
  });

  test.each([
    [401, 'denied', 'Bad credentials'],
    [403, 'denied', 'Resource not accessible by personal access token'],
    [404, 'not_found', 'Not Found'],
    [410, 'not_found', 'This issue was deleted'],
    [422, 'denied', 'Validation Failed'],
    [451, 'denied', 'Repository access blocked'],
  ] as const)('status %d is %s', async (status, result, message) => {
    stage.hub.faults.push({ on: `POST ${REPO}/issues`, status, message });
    expect(await stage.forge.createIssue(ISSUE, 'k1')).toMatchObject({ result, message: expect.stringContaining(message) });
  });

  test('a server that cannot be reached is unavailable', async () => {
    const gone = await stage.reopen({ baseUrl: 'http://127.0.0.1:9' });
    expect(await gone.repository()).toMatchObject({ result: 'unavailable', message: expect.stringContaining('cannot be reached') });
  });
});

describe('a write whose response was lost', () => {
  test.each(['502', 'hung up'])('a comment that was posted before a %s is adopted, not repeated', async (how) => {
    const { number } = valueIn(await stage.forge.createIssue(ISSUE, 'k1'));
    stage.hub.faults.push({ on: 'POST', status: 502, after: true, hangsUp: how === 'hung up' });
    const written = valueIn(await stage.forge.comment({ number, body: 'once' }, 'k2'));
    expect(valueIn(await stage.forge.comment({ number, body: 'once' }, 'k2'))).toEqual(written);
    expect(valueIn(await stage.forge.comments(number)).map(({ body }) => body)).toEqual(['once']);
  });

  test('a text without room for a marker is found by its content', async () => {
    const { number } = valueIn(await stage.forge.createIssue(ISSUE, 'k1'));
    const body = 'x'.repeat(65_536);
    stage.hub.faults.push({ on: 'POST', status: 502, after: true });
    valueIn(await stage.forge.comment({ number, body }, 'k2'));
    valueIn(await stage.forge.comment({ number, body }, 'k3'));
    expect(stage.hub.state.comments).toHaveLength(2);
  });

  test('an issue, a pull request, a review and a merge are adopted too', async () => {
    stage.hub.faults.push({ on: `POST ${REPO}/issues`, status: 502, after: true });
    valueIn(await stage.forge.createIssue(ISSUE, 'k1'));
    stage.hub.faults.push({ on: `POST ${REPO}/pulls`, status: 502, after: true });
    const { number, head } = await openSample(stage, 'topic');
    stage.hub.faults.push({ on: `POST ${REPO}/pulls/${number}/reviews`, status: 502, after: true });
    valueIn(await stage.forge.submitReview({ number, head, state: 'commented', body: 'Fine.' }, 'k2'));
    stage.hub.faults.push({ on: `PUT ${REPO}/pulls/${number}/merge`, status: 502, after: true });
    const merged = valueIn(await stage.forge.mergePullRequest({ number, deleteBranch: true, expectedHead: head }, 'k3'));
    expect([stage.hub.state.items.size, stage.hub.state.reviews.length]).toEqual([2, 1]);
    expect([merged.branchDeleted, await stage.repository.git('rev-parse', 'main')]).toEqual([true, `${merged.sha}\n`]);
  });

  test('a comment of another person with a copied marker does not count as written by Pawl', async () => {
    const { number } = valueIn(await stage.forge.createIssue(ISSUE, 'k1'));
    stage.hub.faults.push({ on: 'POST', status: 502 });
    expect(await stage.forge.comment({ number, body: 'once' }, 'k2')).toMatchObject({ result: 'unavailable' });
    const { markerOf } = await import('../../src/forge/github/marker.ts');
    const theirs = await stage.comment(number, 'mallory', `I am the driver${markerOf('k2')}`);
    expect(valueIn(await stage.forge.comment({ number, body: 'once' }, 'k2')).id).not.toBe(theirs);
    expect(valueIn(await stage.forge.comments(number))[0]?.body).toContain('<!-- pawl:');
  });

  test('a process that was killed between the write and its record leaves one comment', async () => {
    const { number } = valueIn(await stage.forge.createIssue(ISSUE, 'k1'));
    // The server carries the request out and never answers; then the process is killed.
    const { promise: posted, resolve } = Promise.withResolvers<void>();
    const push = stage.hub.state.comments.push.bind(stage.hub.state.comments);
    stage.hub.state.comments.push = (...made) => {
      resolve();
      return push(...made);
    };
    stage.hub.holdNext = `POST ${REPO}/issues/${number}/comments`;
    const forge = new URL('../../src/forge/github/github-forge.ts', import.meta.url).href;
    const code = `import { openGitHubForge } from '${forge}'; const forge = await openGitHubForge(${JSON.stringify(stage.options)});
      await forge.comment({ number: ${number}, body: 'once' }, 'k2');`;
    const child = spawn(process.execPath, ['--no-warnings', '--input-type=module', '--eval', code], { stdio: 'inherit' });
    await posted;
    child.kill('SIGKILL');
    await once(child, 'exit');
    const { id } = valueIn(await stage.forge.comment({ number, body: 'once' }, 'k2'));
    expect(stage.hub.state.comments.map((comment) => String(comment.id))).toEqual([id]);
  });
});

describe('other people and rules', () => {
  test('a pull request that a person merged at that head counts as merged; one that was closed is denied', async () => {
    const one = await openSample(stage, 'one');
    const other = await stage.reopen({ ledger: join(stage.folder, 'other.db') });
    const request = { number: one.number, deleteBranch: false, expectedHead: one.head };
    const { sha } = valueIn(await other.mergePullRequest(request, 'theirs'));
    expect(valueIn(await stage.forge.mergePullRequest(request, 'ours'))).toEqual({ sha, branchDeleted: false });
    const two = await openSample(stage, 'two');
    const item = stage.hub.state.items.get(two.number);
    if (item !== undefined) item.open = false;
    const answer = await stage.forge.mergePullRequest({ number: two.number, deleteBranch: false, expectedHead: two.head }, 'k2');
    expect(answer).toMatchObject({ result: 'denied', message: expect.stringContaining('closed') });
  });

  test('GitHub itself rejects the merge after a push since the last read', async () => {
    const { number, head } = await openSample(stage, 'topic');
    // The driver still reads the old head before it merges.
    stage.hub.beforeNext = {
      on: `PUT ${REPO}/pulls/${number}/merge`,
      work: async () => void (await stage.commit('topic', { 'x.txt': '1' })),
    };
    const answer = await stage.forge.mergePullRequest({ number, deleteBranch: true, expectedHead: head }, 'merge');
    expect(answer).toMatchObject({ result: 'stale_head', head: (await stage.repository.git('rev-parse', 'topic')).trim() });
    expect(await stage.read('main', 'topic.txt')).toBeUndefined();
  });

  test.each([
    ['At least 1 approving review is required by reviewers with write access.', 'denied'],
    ['Required status check "unit" is expected.', 'ci_failure'],
  ] as const)('the message of a branch rule that rejects a merge is passed on: %s', async (message, result) => {
    const { number, head } = await openSample(stage, 'topic');
    stage.hub.state.mergeRefusal = message;
    const answer = await stage.forge.mergePullRequest({ number, deleteBranch: true, expectedHead: head }, 'merge');
    expect(answer).toMatchObject({ result, message: expect.stringContaining(message) });
  });

  test('a push that a rule rejects is denied, with the message of the server', async () => {
    const hook = join(stage.folder, 'octo', 'project.git', 'hooks', 'update');
    writeFileSync(hook, '#!/bin/sh\necho "GH006: Protected branch update failed" >&2\nexit 1\n');
    chmodSync(hook, 0o755);
    const { folder, commit } = await stage.clone();
    const answer = await stage.forge.push({ folder, branch: 'work', sha: await commit({ 'a.txt': '1' }) });
    expect(answer).toMatchObject({ result: 'denied', message: expect.stringContaining('GH006') });
  });

  test('an archived repository rejects every write and every push, and can be read', async () => {
    const { number } = await openSample(stage, 'topic');
    const { folder, commit } = await stage.clone();
    const sha = await commit({ 'a.txt': '1' });
    stage.hub.state.archived = true;
    const ARCHIVED = { result: 'denied', message: expect.stringMatching(/archived.*unarchive it in its settings at GitHub/s) };
    expect(await stage.forge.comment({ number, body: 'hello' }, 'k1')).toMatchObject(ARCHIVED);
    expect(await stage.forge.push({ folder, branch: 'work', sha })).toMatchObject(ARCHIVED);
    expect(valueIn(await stage.forge.pullRequest(number)).number).toBe(number);
    stage.hub.state.archived = false;
    valueIn(await stage.forge.comment({ number, body: 'hello' }, 'k1'));
    expect(stage.hub.state.comments).toHaveLength(1);
  });

  test('a comment on a line that is not in the diff is added to the text of the review', async () => {
    const { number, head } = await openSample(stage, 'topic');
    const comments = [
      { path: 'topic.txt', line: 1, body: 'Good.' },
      { path: 'gone`.txt', line: 99, body: 'This is\nold.' },
    ];
    const request = { number, head, state: 'commented' as const, body: 'Two notes.', comments };
    stage.hub.faults.push({
      on: `POST ${REPO}/pulls/${number}/reviews`,
      status: 422,
      message: 'Unprocessable Entity: Line could not be resolved',
    });
    valueIn(await stage.forge.submitReview(request, 'k1'));
    const [review, ...others] = stage.hub.state.reviews.filter((one) => one.number === number);
    expect(others).toEqual([]);
    expect(review?.body).toMatch(/^Two notes\.\n\n- `topic\.txt:1`: Good\.\n- `gone'\.txt:99`: This is\n {2}old\.\n/);
    // The same request again finds it.
    valueIn(await (await stage.reopen()).submitReview(request, 'k1'));
    expect(stage.hub.state.reviews.filter((one) => one.number === number)).toHaveLength(1);
  });

  test('a review that GitHub rejects for another reason stays rejected', async () => {
    const { number, head } = await openSample(stage, 'topic');
    const comments = [{ path: 'topic.txt', line: 1, body: 'Good.' }];
    stage.hub.faults.push({ on: `POST ${REPO}/pulls/${number}/reviews`, status: 422, message: 'Review was submitted too quickly' });
    const answer = await stage.forge.submitReview({ number, head, state: 'commented', body: 'x', comments }, 'k1');
    expect(answer).toMatchObject({ result: 'denied', message: expect.stringContaining('too quickly') });
  });

  test('reading a deleted branch is not_found, and a merge does not delete it again', async () => {
    const { number, head } = await openSample(stage, 'topic');
    stage.hub.beforeNext = {
      on: `DELETE ${REPO}/git/refs`,
      work: async () => void (await stage.repository.git('update-ref', '-d', 'refs/heads/topic')),
    };
    const merged = valueIn(await stage.forge.mergePullRequest({ number, deleteBranch: true, expectedHead: head }, 'merge'));
    expect(merged.branchDeleted).toBe(true);
    expect(await stage.forge.changedFiles({ branch: 'topic' })).toMatchObject({ result: 'not_found' });
  });

  test('after the default branch was renamed, the next request uses the new name', async () => {
    expect(valueIn(await stage.forge.repository()).defaultBranch).toBe('main');
    await stage.repository.git('branch', '-m', 'main', 'trunk');
    stage.hub.state.defaultBranch = 'trunk';
    expect(valueIn(await stage.forge.repository()).defaultBranch).toBe('trunk');
  });

  test('a branch that has moved since the merge keeps its work', async () => {
    const { number, head } = await openSample(stage, 'topic');
    stage.hub.beforeNext = {
      on: `GET ${REPO}/git/ref/heads/topic`,
      work: async () => void (await stage.commit('topic', { 'late.txt': '1' })),
    };
    const merged = valueIn(await stage.forge.mergePullRequest({ number, deleteBranch: true, expectedHead: head }, 'merge'));
    expect([merged.branchDeleted, await stage.read('topic', 'late.txt')]).toEqual([false, '1']);
  });
});

describe('requests', () => {
  test('an unchanged read gets a 304, and lists of many pages are complete', async () => {
    const { number } = valueIn(await stage.forge.createIssue(ISSUE, 'k1'));
    for (let index = 0; index < 130; index += 1) await stage.comment(number, 'ann', `comment ${index}`);
    expect(valueIn(await stage.forge.comments(number))).toHaveLength(130);
    stage.hub.log.length = 0;
    expect(valueIn(await stage.forge.comments(number)).map(({ body }) => body)).toEqual(
      Array.from({ length: 130 }, (_, n) => `comment ${n}`),
    );
    expect(stage.hub.log).toEqual([`GET ${REPO}/issues/1/comments 304`, `GET ${REPO}/issues/1/comments 304`]);
  });

  test('from an issue to a merged pull request takes a known number of requests', async () => {
    const { folder, commit } = await stage.clone();
    const { number: issue } = valueIn(await stage.forge.createIssue(ISSUE, 'k1'));
    const sha = await commit({ 'a.txt': '1' });
    valueIn(await stage.forge.push({ folder, branch: 'work', sha }));
    const request = { title: 'Work', body: '', head: 'work', base: 'main' };
    const { number } = valueIn(await stage.forge.openPullRequest(request, 'k2'));
    valueIn(await stage.forge.mergePullRequest({ number, deleteBranch: true, expectedHead: sha }, 'k3'));
    valueIn(await stage.forge.closeIssue({ number: issue }, 'k4'));
    expect(stage.forge.requests()).toBe(18);
  });
});

describe('logins', () => {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const app: GitHubAuth = { kind: 'app', appId: String(APP.id), privateKey };

  test('an App acts as its bot, sets check runs, and pushes', async () => {
    const forge = await stage.reopen({ auth: app });
    expect(valueIn(await forge.whoami())).toEqual({
      login: 'pawl-test[bot]',
      bot: true,
      permission: 'write',
      checks: 'check_runs',
      account: 'own',
    });
    const { folder, commit } = await stage.clone();
    const sha = await commit({ 'a.txt': '1' });
    valueIn(await forge.push({ folder, branch: 'work', sha }));
    for (const conclusion of [null, 'success'] as const) {
      const status = conclusion === null ? 'in_progress' : 'completed';
      valueIn(await forge.setCheck({ sha, name: 'pawl/review', status, conclusion, title: 'Review' }, `check-${status}`));
    }
    expect(stage.hub.state.checks).toMatchObject([{ name: 'pawl/review', status: 'completed', conclusion: 'success' }]);
    expect(stage.hub.state.statuses).toEqual([]);
  });

  test('a token is renewed before it expires, and a revoked one is replaced', async () => {
    let now = Date.now();
    const forge = await stage.reopen({ auth: app, now: () => now });
    const requested = (): number => sent('/access_tokens').length;
    valueIn(await forge.createIssue(ISSUE, 'k1'));
    expect(requested()).toBe(1);
    now += 56 * 60_000;
    stage.hub.state.aheadMs = 56 * 60_000;
    valueIn(await forge.issue(1));
    expect(requested()).toBe(2);
    for (const token of [...stage.hub.state.tokens.keys()].filter((one) => one.startsWith('ghs_'))) stage.hub.state.tokens.delete(token);
    valueIn(await forge.comment({ number: 1, body: 'still here' }, 'k2'));
    expect([requested(), stage.hub.state.comments.length]).toEqual([3, 1]);
  });

  test('an App whose clock is wrong logs in by the clock of GitHub, and knows the difference', async () => {
    for (const [index, byMs] of [300_000, -700_000].entries()) {
      const forge = await stage.reopen({ auth: app, now: () => Date.now() + byMs });
      valueIn(await forge.whoami());
      valueIn(await forge.createIssue(ISSUE, `k${index}`));
      expect(Math.abs((forge.aheadMs?.() ?? 0) + byMs)).toBeLessThan(5000);
    }
    await stage.forge.whoami();
    await stage.forge.issue(1);
    expect(stage.forge.aheadMs?.()).toBe(0);
  });

  test('the token of an App that is revoked in the middle of a push is replaced once; the push happens', async () => {
    const forge = await stage.reopen({ auth: app });
    const { folder, commit } = await stage.clone();
    const sha = await commit({ 'a.txt': '1' });
    valueIn(await forge.whoami());
    const revoke = (): void => {
      for (const token of [...stage.hub.state.tokens.keys()].filter((one) => one.startsWith('ghs_'))) stage.hub.state.tokens.delete(token);
    };
    revoke();
    expect(valueIn(await forge.push({ folder, branch: 'work', sha }))).toEqual({ sha });
    // After the branches were read, before the commit is sent.
    stage.hub.beforeGit = { on: 'git-receive-pack', work: revoke };
    const next = await commit({ 'a.txt': '2' });
    expect(valueIn(await forge.push({ folder, branch: 'work', sha: next }))).toEqual({ sha: next });
    expect(stage.hub.beforeGit).toBeUndefined();
  });

  test('a token that is revoked in the middle of a push is denied, says what to do, and the push can be repeated', async () => {
    const { folder, commit } = await stage.clone();
    const sha = await commit({ 'a.txt': '1' });
    stage.hub.beforeGit = { on: 'git-receive-pack', work: () => void stage.hub.state.tokens.delete(TOKEN) };
    const answer = await stage.forge.push({ folder, branch: 'work', sha });
    expect(answer).toMatchObject({ result: 'denied', message: expect.stringContaining('renew the token') });
    expect(JSON.stringify(answer)).not.toContain(TOKEN);
    stage.hub.state.tokens.set(TOKEN, LOGIN);
    expect(valueIn(await stage.forge.push({ folder, branch: 'work', sha }))).toEqual({ sha });
  });

  test('an invalid token is denied, and the error says so', async () => {
    const forge = await stage.reopen({ auth: { kind: 'token', token: 'expired' } });
    expect(await forge.issue(1)).toMatchObject({ result: 'denied', message: expect.stringContaining('login') });
    const { folder, commit } = await stage.clone();
    const answer = await forge.push({ folder, branch: 'work', sha: await commit({ 'a.txt': '1' }) });
    expect(answer).toMatchObject({ result: 'denied' });
    expect(JSON.stringify(answer)).not.toContain('expired');
  });

  test('the login of gh is used', async () => {
    const bin = join(stage.folder, 'gh');
    writeFileSync(bin, `#!/bin/sh\necho "$@" > ${stage.folder}/asked\necho ${TOKEN}\n`, { mode: 0o755 });
    const path = process.env.PATH;
    process.env.PATH = `${stage.folder}:${path}`;
    try {
      const forge = await stage.reopen({ auth: { kind: 'gh' } });
      expect(valueIn(await forge.whoami()).login).toBe(LOGIN);
    } finally {
      process.env.PATH = path;
    }
    expect(readFileSync(join(stage.folder, 'asked'), 'utf8')).toBe(`auth token --hostname ${new URL(stage.hub.url).host}\n`);
  });

  test('the configuration of a checkout cannot send the token elsewhere', async () => {
    const { folder, commit, git } = await stage.clone();
    const sha = await commit({ 'a.txt': '1' });
    await git('config', `url.http://127.0.0.1:9/.insteadOf`, `${stage.hub.url}/`);
    await git('config', 'http.proxy', 'http://127.0.0.1:9');
    expect(valueIn(await stage.forge.push({ folder, branch: 'work', sha }))).toEqual({ sha });
    const config = readFileSync(join(folder, '.git', 'config'), 'utf8');
    expect(config).not.toContain(TOKEN);
  });

  test.each(['http://github.example.com', 'https://user@github.example.com', 'ftp://x', 'github'])(
    'the address %s gets no login',
    async (baseUrl) => {
      await expect(stage.reopen({ baseUrl })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    },
  );
});

describe('watching by polling', () => {
  test('an outage delays events but loses none', async () => {
    const { promise, resolve } = Promise.withResolvers<string[]>();
    const heard: string[] = [];
    const stop = stage.forge.watch(({ event, actor }) => {
      heard.push(`${event} ${actor}`);
      if (event === 'pull_request_review.submitted') resolve(heard);
    });
    const { number } = await openSample(stage, 'topic');
    stage.hub.faults.push({ on: 'GET', status: 502, times: 12 });
    await stage.comment(number, 'ann', 'Looks good.');
    await stage.review(number, 'ann', 'approved');
    expect(await promise).toEqual(['pull_request.opened pawl-user', 'issue_comment.created ann', 'pull_request_review.submitted ann']);
    stop();
  });

  test('a quiet repository is polled with conditional requests only', async () => {
    const { number } = valueIn(await stage.forge.createIssue(ISSUE, 'k1'));
    const { promise, resolve } = Promise.withResolvers<void>();
    const stop = stage.forge.watch(({ event }) => event === 'issues.closed' && resolve());
    valueIn(await stage.forge.closeIssue({ number }, 'k2'));
    await promise;
    await expect.poll(() => stage.hub.log.slice(-8).map((line) => line.slice(-3))).toEqual(Array.from({ length: 8 }, () => '304'));
    stop();
  });
});
