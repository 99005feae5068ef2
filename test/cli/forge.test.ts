// `pawl forge`: being the people and the CI at the local forge, and who may be.

import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { commitAll, git } from '../git.ts';
import { tokenOf } from './decision-runs.ts';
import { CliRig } from './rig.ts';

let rig: CliRig;
let head: string;
// One project for all: each test looks at something of its own.
beforeAll(async () => {
  rig = new CliRig();
  git(rig.project, 'init', '--quiet', '--initial-branch=main');
  rig.write('.pawl/config.yaml', 'forge: { kind: local }\n');
  commitAll(rig.project, 'begin');
  git(rig.project, 'switch', '--quiet', '--create', 'topic');
  rig.write('topic.txt', 'topic');
  commitAll(rig.project, 'work');
  head = git(rig.project, 'rev-parse', 'HEAD');
  git(rig.project, 'switch', '--quiet', 'main');
  await rig.run(['trust', '--folder', '--yes']);
  await rig.run(['forge', 'issue', 'create', '--title', 'Login fails', '--label', 'bug', '--body', 'Since today.', '--as', 'kim']);
  await rig.run(['forge', 'pr', 'create', '--head', 'topic', '--title', 'Fix login', '--draft']);
});
afterAll(() => rig.close());

const forge = (...words: string[]) => rig.run(['forge', ...words]);
const json = <T>(...words: string[]) => rig.json<T>(['forge', ...words]);

test('notifications of workflows can be read', async () => {
  expect((await forge('notifications')).stdout).toBe('No notifications. Workflows send them with "notify".\n');
  const stages =
    'stages: [{ id: work, type: command, run: "true" }]\non_complete: [{ notify: { target: kim, message: "done: {{ context.text }}" } }]\n';
  rig.write(
    '.pawl/workflows/tell.yaml',
    `apiVersion: pawl.dev/v1\nkind: Workflow\nmetadata: { name: tell }\ncontext: { text: "all" }\n${stages}`,
  );
  await rig.run(['trust', '--yes']);
  expect((await rig.run(['run', 'tell'])).code).toBe(0);
  expect((await forge('notifications')).stdout).toMatch(/^SENT\s+TO\s+ABOUT\s+MESSAGE\n\S.*\bkim\s+done: all\n$/);
  expect(await json('notifications')).toMatchObject({ notifications: [{ target: 'kim', message: 'done: all', at: expect.any(String) }] });
});

describe('commands that take no right outside of a run', () => {
  test('issues are opened, listed, shown, labelled, commented on and closed', async () => {
    expect((await forge('issue', 'list')).stdout).toMatch(/#1\s+open\s+kim\s+Login fails/);
    expect((await forge('label', '1', '--add', 'ui', '--remove', 'bug')).stdout).toBe('#1 has the labels ui.\n');
    await forge('issue', 'comment', '1', '--body', 'Me too.', '--as', 'lee');
    expect((await forge('issue', 'show', '#1')).stdout).toBe(
      '#1  Login fails\nstate   open, by kim\nlabels  ui\n\nSince today.\n\nlee:\nMe too.\n',
    );
    await forge('issue', 'close', '1');
    expect(await json('issue', 'show', '1')).toMatchObject({ schemaVersion: 1, issue: { state: 'closed', labels: ['ui'] } });
  });

  test('pull requests are opened, also as drafts, shown and marked as ready', async () => {
    expect((await forge('pr', 'show', '2')).stdout).toContain(`state   open, draft, by `);
    await forge('pr', 'ready', '2');
    expect(await json('pr', 'show', '2')).toMatchObject({
      pullRequest: { draft: false, headSha: head, fork: false },
      approvals: [],
      checks: [],
    });
    expect(await json('pr', 'list')).toMatchObject({ pullRequests: [{ number: 2, title: 'Fix login' }] });
  });
});

describe('commands that approve work need a person', () => {
  test('a person at a terminal may act for anybody', async () => {
    const review = rig.terminal(['forge', 'review', '2', '--approve', '--as', 'ann']);
    expect([await review.ended, review.text()]).toEqual([0, expect.stringContaining('ann approves pull request #2')]);
    expect(await rig.terminal(['forge', 'check', '2', '--name', 'ci', '--conclusion', 'success']).ended).toBe(0);
    const shown = (await forge('pr', 'show', '2')).stdout;
    expect(shown).toContain('review  ann: approved');
    expect(shown).toContain('check   ci: success');
  });

  test.each([
    ['a review', ['review', '2', '--approve', '--as', 'bob']],
    ['a check', ['check', '2', '--name', 'lint', '--conclusion', 'success']],
    ['a comment with a command', ['pr', 'comment', '2', '--body', '/pawl approve', '--as', 'bob']],
  ])('so %s in a pipe is refused', async (_what, words) => {
    expect(await forge(...words)).toMatchObject({ code: 4, stderr: expect.stringContaining('only a person can run') });
    expect((await forge('pr', 'show', '2')).stdout).not.toMatch(/bob|lint/);
  });

  test('a token acts under its own name, for the commit that was seen', async () => {
    const env = { PAWL_TOKEN: await tokenOf(rig, 'sue') };
    const review = (...words: string[]) => rig.run(['forge', 'review', '2', '--request-changes', ...words], { env });
    expect(await review()).toMatchObject({ code: 4, stderr: expect.stringContaining('--head is required without a terminal') });
    expect(await review('--head', head, '--as', 'ann')).toMatchObject({ code: 4, stderr: expect.stringContaining('cannot act as "ann"') });
    expect(await review('--head', 'f'.repeat(40))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('it has changed since; review it again'),
    });
    expect(await review('--head', head)).toMatchObject({ code: 0, stdout: expect.stringContaining('sue requests changes') });
  });

  test('a token commands under its own name, for the digest that was seen', async () => {
    const env = { PAWL_TOKEN: await tokenOf(rig, 'sam') };
    const say = (body: string, ...words: string[]) => rig.run(['forge', 'pr', 'comment', '2', '--body', body, ...words], { env });
    expect(await say('/pawl approve')).toMatchObject({ code: 4, stderr: expect.stringContaining('must name the digest of what sam saw') });
    expect(await say('/pawl approve deadbeef', '--as', 'ann')).toMatchObject({ code: 4 });
    expect(await say('/pawl approve deadbeef')).toMatchObject({ code: 0 });
    expect((await forge('pr', 'show', '2')).stdout).toContain('sam:\n/pawl approve deadbeef');
  });
});

describe('inside a run or an agent', () => {
  const PLACES = [{ PAWL_RUN: 'aaaaaaaaaaaaaaa1' }, { CLAUDECODE: '1' }];

  test.each(PLACES)('%o, nothing that is there already is changed: gates and open runs look at it', async (env) => {
    const before = [await json('issue', 'show', '1'), await json('pr', 'show', '2')];
    const tried = [
      ['label', '1', '--add', 'ship', '--as', 'ann'],
      ['label', '2', '--remove', 'ui'],
      ['issue', 'comment', '1', '--body', 'Ship it.', '--as', 'ann'],
      ['pr', 'comment', '2', '--body', 'Ship it.'],
      ['issue', 'close', '1'],
      ['pr', 'close', '2'],
      ['pr', 'ready', '2'],
    ];
    for (const words of tried) {
      const { code, stderr } = await rig.run(['forge', ...words], { env });
      expect([words, code, stderr]).toEqual([words, 4, expect.stringContaining('is not allowed inside')]);
    }
    expect([await json('issue', 'show', '1'), await json('pr', 'show', '2')]).toEqual(before);
  });

  test.each(PLACES)('%o, issues are opened', async (env) => {
    expect(await rig.run(['forge', 'issue', 'create', '--title', 'Found', '--label', 'bug'], { env })).toMatchObject({ code: 0 });
  });
});

test.each([
  ['a comment', 'comment', ['issue', 'comment', 'N', '--body', 'Yes, ship it.']],
  ['a label', 'label, label: ship', ['label', 'N', '--add', 'ship']],
])('%s that a question waits for decides it, so it takes the right to decide', async (_what, waitsFor, words) => {
  const { issue } = await json<{ issue: { number: number } }>('issue', 'create', '--title', 'Ship?');
  const name = `ask-${waitsFor.slice(0, 5)}`;
  const stages = `stages: [{ id: ask, type: human, prompt: "Ship it?", wait_for: ${waitsFor} }]\n`;
  rig.write(`.pawl/workflows/${name}.yaml`, `apiVersion: pawl.dev/v1\nkind: Workflow\nmetadata: { name: ${name} }\n${stages}`);
  expect((await rig.run(['run', name, '--issue', String(issue.number)])).code).toBe(3);
  const said = words.map((word) => (word === 'N' ? String(issue.number) : word));
  expect(await forge(...said, '--as', 'ann')).toMatchObject({ code: 4, stderr: expect.stringContaining('only a person can run') });
  expect(await json('issue', 'show', String(issue.number))).toMatchObject({ issue: { labels: [] }, comments: [] });
  // About something else, or another label, it decides nothing.
  expect(await forge(...words.map((word) => (word === 'N' ? '1' : word)))).toMatchObject({ code: 0 });
  expect(await forge('label', String(issue.number), '--add', 'other')).toMatchObject({ code: 0 });
  const env = { PAWL_TOKEN: await tokenOf(rig, `tim-${name}`) };
  expect(await rig.run(['forge', ...said, '--as', 'ann'], { env })).toMatchObject({ code: 4 });
  expect(await rig.run(['forge', ...said], { env })).toMatchObject({ code: 0 });
});

test.each([
  ['an option of another act', ['issue', 'create', '--title', 'x', '--conclusion', 'success'], 'has no option --conclusion'],
  ['a verb that is not there', ['pr', 'creat'], 'unknown action "pawl forge pr creat" (did you mean "create"?)'],
  ['no verb', ['issue'], 'the action is missing: pawl forge issue list|show|create|close|comment'],
  ['no number', ['label', '--add', 'x'], 'the number is missing: pawl forge label N'],
  ['a word that is no number', ['pr', 'show', 'two'], 'needs a number such as 2, not "two"'],
  ['a number that is not there', ['issue', 'show', '99'], 'there is no issue #99'],
  ['a pull request that is an issue', ['pr', 'show', '1'], 'there is no pull request #1'],
  ['one word more', ['issue', 'list', 'all'], 'unexpected argument "all"'],
  ['no title', ['issue', 'create'], '--title TEXT is missing'],
  ['a branch that is not there', ['pr', 'create', '--head', 'gone'], 'there is no branch "gone"'],
  ['a name with a space', ['issue', 'create', '--title', 'x', '--as', 'a b'], '--as must be a name without spaces'],
])('%s is refused', async (_what, words, message) => {
  expect(await forge(...words)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
});

test('without a forge, it says how to get one', async () => {
  const other = new CliRig();
  const { code, stderr } = await other.run(['forge', 'issue', 'list']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('add "forge: { kind: local }" to .pawl/config.yaml')]);
  await other.close();
});

test('a pull request can be opened from a fork', async () => {
  const fork = join(rig.folder, 'fork');
  git(rig.folder, 'clone', '--quiet', rig.project, fork);
  git(fork, 'commit', '--quiet', '--allow-empty', '-m', 'theirs');
  git(fork, 'branch', 'theirs');
  expect(await json('pr', 'create', '--head', 'theirs', '--fork', fork)).toMatchObject({
    pullRequest: { fork: true, headBranch: 'theirs' },
  });
});
