// Triggers by hand and settings that workflows read: what a run is told about what started it.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type LocalForge, openLocalForge } from '../../src/forge/local/local-forge.ts';
import { CliRig } from './rig.ts';

let rig: CliRig;
beforeEach(async () => {
  rig = new CliRig();
  rig.write('.pawl/config.yaml', 'project: { default_branch: trunk }\n');
  await rig.run(['trust', '--folder', '--yes']);
});
afterEach(() => rig.close());

function workflow(context: string, shown: string): void {
  rig.write(
    '.pawl/workflows/w.yaml',
    `apiVersion: pawl.dev/v1
kind: Workflow
metadata: { name: w }
${context}
stages:
  - { id: show, type: command, run: 'printf %s "$SHOWN" > out', env: { SHOWN: "${shown}" } }
`,
  );
}
const out = (): string => readFileSync(join(rig.project, 'out'), 'utf8');

const ISSUE = 'context: { number: "{{ trigger.issue.number }}", base: "{{ config.project.default_branch }}" }';

describe('a run that is started by hand', () => {
  test('a run for an issue reads its number, the settings of its project and the facts of its trigger', async () => {
    workflow(ISSUE, '{{ context.number }} {{ context.base }} {{ issue_number }}');
    expect((await rig.run(['run', 'w', '--issue', '42'])).code).toBe(0);
    expect(out()).toBe('42 trunk 42');
  });

  test('a run for a pull request has its number', async () => {
    workflow('context: { number: "{{ trigger.pull_request.number }}" }', '{{ context.number }} {{ pr_number }}');
    expect((await rig.run(['run', 'w', '--pr', '7'])).code).toBe(0);
    expect(out()).toBe('7 7');
  });

  test('a run for an event reads the payload as the forge sends it, also from a file', async () => {
    const pull_request = { number: 9, base: { ref: 'main' }, labels: [{ name: 'security' }, { name: 'feature' }] };
    rig.write('event.json', JSON.stringify({ action: 'opened', pull_request }));
    workflow('', '{{ trigger.action }} {{ pr_number }} {{ base_branch }} {{ labels }}');
    expect((await rig.run(['run', 'w', '--event', 'pull_request.opened', '--payload', '@event.json'])).code).toBe(0);
    expect(out()).toBe('opened 9 main ["security","feature"]');
  });

  test('a run for a comment on a pull request has the number of the pull request, and no issue', async () => {
    workflow('', "{{ pr_number }} {{ issue_number ?? 'none' }}");
    const payload = JSON.stringify({ issue: { number: 5, pull_request: { url: 'u' } } });
    expect((await rig.run(['run', 'w', '--event', 'issue_comment.created', '--payload', payload])).code).toBe(0);
    expect(out()).toBe('5 none');
  });

  test('a run keeps the event, issue or pull request that started it', async () => {
    workflow('', 'x');
    const words = ['--event', 'issues.labeled', '--payload', '{"issue": {"number": 3}}'];
    const { run } = await rig.json<{ run: Record<string, unknown> }>(['run', 'w', ...words]);
    expect(JSON.stringify(run)).toContain('"event":"issues.labeled"');
    expect(JSON.stringify(run)).toContain('"issue":3');
  });
});

describe('a value that the context needs and did not get is an error before anything starts', () => {
  test.each([
    [
      'the flag for a number',
      ISSUE,
      [],
      /"number" .* reads trigger\.issue\.number, but this run has no trigger; use --issue N, or --event NAME/,
    ],
    [
      'the event for anything else',
      'context: { t: "{{ trigger.issue.title }}" }',
      [],
      /trigger\.issue\.title.*; use --event NAME --payload/,
    ],
    [
      'the forge, or the whole event, when a number is not enough',
      'context: { t: "{{ trigger.issue.title }}" }',
      ['--issue', '3'],
      /without a forge only the number of --issue 3 is known; add "forge: { kind: local }" .*, or pass the whole event: --event NAME --payload @file/,
    ],
  ])('missing data is an error before anything starts: %s', async (...row) => {
    const [, context, words, message] = row;
    workflow(context, 'x');
    expect(await rig.run(['run', 'w', ...words])).toMatchObject({ code: 2, stderr: expect.stringMatching(message) });
    expect((await rig.json<{ runs: unknown[] }>(['runs'])).runs).toEqual([]);
  });

  test('a missing setting that the context reads is an error before anything starts', async () => {
    rig.write('.pawl/config.yaml', '');
    workflow('context: { base: "{{ config.project.default_branch }}" }', 'x');
    const { code, stderr } = await rig.run(['run', 'w']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('set project.default_branch in .pawl/config.yaml [CONFIG_INVALID]')]);
  });

  test('a missing value that the workflow does not read is no error', async () => {
    workflow(`context: { n: "{{ trigger.issue.number ?? 0 }}" }`, '{{ context.n }}');
    expect((await rig.run(['run', 'w'])).code).toBe(0);
    expect(out()).toBe('0');
  });
});

test.each([
  ['two triggers', ['--issue', '1', '--pr', '2'], '--issue and --pr cannot be combined'],
  ['an event beside a number', ['--pr', '2', '--event', 'x'], '--pr and --event cannot be combined'],
  ['a payload without its event', ['--payload', '{}'], '--payload needs --event'],
  ['a number that is none', ['--issue', '#4'], '--issue must be a number such as 42, not "#4"'],
  ['a payload that is no JSON', ['--event', 'issues', '--payload', '{'], '--payload is not valid JSON'],
  ['a payload that is no object', ['--event', 'issues', '--payload', '[]'], '--payload must be a JSON object'],
  ['an event without a name', ['--event', ''], '--event must be the name of an event'],
])('"pawl run" rejects %s', async (_, words, message) => {
  workflow('', 'x');
  expect(await rig.run(['run', 'w', ...words])).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
});

describe('a workflow that names its trigger', () => {
  const TRIGGER = 'trigger: { event: issues.labeled, conditions: { label: bug } }';
  const event = (name: string, added: string): string[] => [
    ...['--event', name, '--payload', JSON.stringify({ issue: { number: 3, labels: [{ name: added }] }, label: { name: added } })],
  ];

  test('a workflow with a trigger is started by the event that it names', async () => {
    workflow(TRIGGER, '{{ issue_number }}');
    expect((await rig.run(['run', 'w', ...event('issues.labeled', 'bug')])).code).toBe(0);
    expect(out()).toBe('3');
  });

  test.each([
    ['another event', event('push', 'bug'), '--event push does not start workflow "w": it starts on issues.labeled, not on push'],
    ['another label', event('issues.labeled', 'ui'), 'it starts when the label "bug" is added, but "ui" was'],
    ['an event without a payload', ['--event', 'issues.labeled'], 'does not name the label'],
  ])('a workflow with a trigger is not started by %s', async (_what, words, message) => {
    workflow(TRIGGER, 'x');
    expect(await rig.run(['run', 'w', ...words])).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
    expect((await rig.json<{ runs: unknown[] }>(['runs'])).runs).toEqual([]);
  });

  test('a workflow has one open run per issue: a second is rejected until the first has ended', async () => {
    rig.write(
      '.pawl/workflows/w.yaml',
      `apiVersion: pawl.dev/v1\nkind: Workflow\nmetadata: { name: w }\nstages:\n  - { id: ask, type: human, prompt: "Go on?" }\n`,
    );
    const first = await rig.json<{ run: { id: string } }>(['run', 'w', '--issue', '3']);
    const second = await rig.run(['run', 'w', '--issue', '3']);
    expect([first.code, second.code, second.stderr]).toEqual([
      3,
      2,
      expect.stringContaining(`run ${first.run.id} of "w" is already open for issue #3`),
    ]);
    expect((await rig.run(['run', 'w', '--issue', '4'])).code).toBe(3);
    await rig.run(['cancel', first.run.id]);
    expect((await rig.run(['run', 'w', '--issue', '3'])).code).toBe(3);
    const atOnce = await Promise.all([5, 5, 5].map((issue) => rig.run(['run', 'w', '--issue', `${issue}`])));
    expect(atOnce.map(({ code }) => code).sort()).toEqual([2, 2, 3]);
  });
});

describe('with a local forge in the settings', () => {
  let forge: LocalForge;
  beforeEach(async () => {
    const git = (...words: string[]): void =>
      void execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...words], { cwd: rig.project, stdio: 'ignore' });
    rig.write('.pawl/config.yaml', 'forge: { kind: local }\n');
    git('init', '--initial-branch=main');
    git('commit', '--allow-empty', '-m', 'begin');
    git('switch', '--create', 'topic');
    git('commit', '--allow-empty', '-m', 'work');
    git('switch', 'main');
    mkdirSync(rig.state, { recursive: true });
    forge = await openLocalForge({ repository: rig.project, state: join(rig.state, 'forge.db') });
    await forge.createIssue({ title: 'Add search', body: 'Soon.', labels: ['feature'] }, 'k1');
    expect(await forge.openPullRequest({ title: 'Search', body: '', head: 'topic', base: 'main' }, 'k2')).toMatchObject({ result: 'ok' });
  });
  afterEach(() => forge.close());
  // A run that was triggered works in a worktree of its own, which is kept while it holds what nobody committed.
  const outOfWorktree = (): string => {
    const worktrees = join(rig.state, 'worktrees');
    const [only = ''] = readdirSync(worktrees);
    return readFileSync(join(worktrees, only, 'out'), 'utf8');
  };
  const run = (...words: string[]) => rig.run(['run', 'w', '--db', join(rig.state, 'runs.db'), ...words]);

  test('--issue reads the issue from the local forge', async () => {
    workflow('context: { title: "{{ trigger.issue.title }}" }', '{{ context.title }} {{ labels }} {{ trigger.repository.default_branch }}');
    expect(await run('--issue', '1')).toMatchObject({ code: 0 });
    expect(outOfWorktree()).toBe('Add search ["feature"] main');
  });

  test('--pr reads the pull request from the local forge', async () => {
    workflow('', '{{ trigger.pull_request.head.ref }} {{ base_branch }} {{ pr_number }} {{ trigger.pull_request.merged }}');
    expect(await run('--pr', '2')).toMatchObject({ code: 0 });
    // What a run for a pull request writes is work on it, and goes to its branch.
    expect(execFileSync('git', ['show', 'topic:out'], { cwd: rig.project, encoding: 'utf8' })).toBe('topic main 2 false');
  });

  test('an unknown issue number is an error before anything starts', async () => {
    workflow('', 'x');
    const { code, stderr } = await run('--issue', '2');
    expect([code, stderr]).toEqual([2, expect.stringMatching(/cannot read --issue 2 from the local forge: .*\[USAGE\]/)]);
    expect(existsSync(join(rig.state, 'runs.db'))).toBe(false);
  });

  test('actions and hooks of a workflow are performed at the local forge', async () => {
    rig.write(
      '.pawl/workflows/w.yaml',
      `apiVersion: pawl.dev/v1
kind: Workflow
metadata: { name: w }
stages:
  - { id: mark, type: action, action: label, add: [started], remove: [feature] }
  - { id: follow, type: action, action: create_issue, title: "Document {{ trigger.issue.title }}", labels: [docs] }
on_complete:
  - comment: { target: issue, message: "Done with {{ trigger.issue.title }}." }
`,
    );
    expect(await run('--issue', '1')).toMatchObject({ code: 0 });
    expect(await forge.issue(1)).toMatchObject({ value: { labels: ['started'] } });
    expect(await forge.comments(1)).toMatchObject({ value: [{ body: 'Done with Add search.' }] });
    expect(await forge.issue(3)).toMatchObject({ value: { title: 'Document Add search', labels: ['docs'] } });
  });
});

test('a project can remove people from a group of its user, but not add any; it can define its own groups', async () => {
  const user = join(rig.folder, 'user');
  mkdirSync(join(user, 'pawl'), { recursive: true });
  writeFileSync(join(user, 'pawl', 'config.yaml'), 'groups: { maintainers: [ann, bob] }\n');
  const group = async (people: string): Promise<string> => {
    rig.write('.pawl/config.yaml', `groups: { maintainers: ${people}, testers: [eve] }\n`);
    return (await rig.run(['config', 'groups.maintainers'], { env: { XDG_CONFIG_HOME: user } })).stdout;
  };
  expect(await group('[ann]')).toBe('["ann"]\n');
  expect(await group('[ann, mallory]')).toBe('["ann","bob"]\n');
  expect((await rig.run(['config', 'groups.testers'], { env: { XDG_CONFIG_HOME: user } })).stdout).toBe('["eve"]\n');
});
