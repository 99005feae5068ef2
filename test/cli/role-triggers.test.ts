// Events that start an agent without any workflow file, as the triggers of roles say, and workflows that take precedence.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { git } from '../git.ts';
import { CliRig } from './rig.ts';

let rig: CliRig;
beforeEach(async () => {
  rig = new CliRig();
  git(rig.project, 'init', '--quiet', '--initial-branch=main');
  rig.write('.pawl/agent.mjs', AGENT);
  config('triggers: [{ event: issues.labeled, label: feature }, { event: issues.reopened }]');
  rig.write('readme.txt', 'begin\n');
  git(rig.project, 'add', '--all');
  git(rig.project, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '--quiet', '-m', 'begin');
  await rig.run(['trust', '--folder', '--yes']);
});
afterEach(() => rig.close());

/** An agent that keeps what it was told outside of the worktree, changes a file and asks for a pull request. */
const AGENT = `import { readFileSync, writeFileSync } from 'node:fs';
writeFileSync(process.env.HOME + '/told.txt', readFileSync(0, 'utf8'));
writeFileSync('search.txt', 'found');
console.log(JSON.stringify({ success: true, output: { outputs: { pr_number: { title: 'Add search', body: 'Done.' }, comment: 'On it.' } } }));
`;
const config = (role: string): string =>
  rig.write(
    '.pawl/config.yaml',
    `forge: { kind: local }
project: { default_branch: main }
agent_roles:
  feat-dev: { driver: command, argv: [node, .pawl/agent.mjs], ${role} }
`,
  );
const workflow = (head: string): string =>
  rig.write(
    '.pawl/workflows/feature.yaml',
    `apiVersion: pawl.dev/v1\nkind: Workflow\nmetadata: { name: feature }\n${head}\nstages: [{ id: a, type: command, run: "true", recovery: rerun }]\n`,
  );
const labelled = (label: string, title = 'Search'): string[] => [
  ...['trigger', '--event', 'issues.labeled', '--payload'],
  JSON.stringify({ action: 'labeled', issue: { number: 1, title, labels: [{ name: label }] }, label: { name: label } }),
];
const issue = (): Promise<unknown> => rig.run(['forge', 'issue', 'create', '--title', 'Search']);
const runs = async () =>
  (await rig.json<{ runs: { workflow: string; status: string }[] }>(['runs'])).runs.map((one) => `${one.workflow} ${one.status}`).sort();

interface Triggered {
  readonly delivery: { readonly status: string; readonly run: string | null; readonly reason: string | null };
}

describe('the triggers of a role', () => {
  test('a trigger of a role starts its agent, which is told the event, and opens its pull request and comment', async () => {
    await issue();
    const { delivery } = await rig.json<Triggered>(labelled('feature', 'Add {{ secrets.X }} search'));
    expect(delivery).toMatchObject({ status: 'done', run: expect.any(String) });
    expect(await runs()).toEqual(['role-feat-dev completed']);
    const told = readFileSync(join(rig.home, 'told.txt'), 'utf8');
    expect(told).toContain('started by an event');
    expect(told).toContain('Add {{ secrets.X }} search');
    expect((await rig.run(['forge', 'pr', 'show', '2'])).stdout).toContain('Add search');
    expect((await rig.run(['forge', 'issue', 'show', '1'])).stdout).toContain('On it.');
  });

  test('each trigger of a role starts its agent, and nothing else does', async () => {
    await issue();
    const reopened = ['trigger', '--event', 'issues.reopened', '--payload', '{"action":"reopened","issue":{"number":1}}'];
    expect((await rig.json<Triggered>(labelled('bug'))).delivery).toMatchObject({
      status: 'ignored',
      reason: '"role-feat-dev": it starts when the label "feature" is added, but "bug" was',
    });
    expect((await rig.json<Triggered>(reopened)).delivery.status).toBe('done');
  });

  test('the triggers of roles are listed with the settings file, and rejected until it is trusted', async () => {
    expect(await rig.json(['list'])).toMatchObject({
      workflows: [{ name: 'role-feat-dev', file: join(rig.project, '.pawl/config.yaml'), steps: ['feat-dev'] }],
    });
    const other = { env: { PAWL_STATE: join(rig.folder, 'other') } };
    expect((await rig.run(labelled('feature'), other)).stderr).toContain('NOT_TRUSTED');
    expect(existsSync(join(rig.home, 'told.txt'))).toBe(false);
  });

  test('a trigger with an unknown event, or of a role whose name cannot be a step, is rejected with its position', async () => {
    config('triggers: [{ event: issues.labelled }]');
    expect((await rig.run(['list'])).stderr).toMatch(/config\.yaml:4:\d+: .*no action "labelled".*issues\.labeled/);
    rig.write('.pawl/config.yaml', 'roles:\n  "a b": { triggers: [{ event: issues.opened }] }\n');
    expect((await rig.run(['list'])).stderr).toMatch(/config\.yaml:2:\d+: .*"roles\.a b" has triggers, so its name must/);
  });

  test('no role is started in a project without triggers', async () => {
    config('model: x');
    expect((await rig.json<Triggered>(labelled('feature'))).delivery.reason).toBe('no workflow starts on issues.labeled');
  });
});

describe('a workflow for the same event', () => {
  test('a workflow for the same event starts in addition to the role, and "pawl validate" warns about it', async () => {
    workflow('trigger: { event: issues.labeled, conditions: { label: feature } }');
    await issue();
    await rig.run(labelled('feature'));
    expect(await runs()).toEqual(['feature completed', 'role-feat-dev completed']);
    const { stdout } = await rig.run(['validate']);
    expect(stdout).toMatch(/feature\.yaml:4:1 +warning TRIGGER_OVERLAP/);
    expect(stdout).toContain('override_triggers: true');
  });

  test('override_triggers gives a workflow precedence, only for the events that it matches', async () => {
    workflow('trigger: { event: issues.labeled, conditions: { label: feature } }\noverride_triggers: true');
    expect((await rig.run(['validate', '--strict'])).code).toBe(0);
    await issue();
    await rig.run(labelled('feature'));
    expect(await runs()).toEqual(['feature completed']);
    await rig.run(['trigger', '--event', 'issues.reopened', '--payload', '{"action":"reopened","issue":{"number":1}}']);
    expect(await runs()).toEqual(['feature completed', 'role-feat-dev completed']);
  });

  test.each([
    ['another label', 'trigger: { event: issues.labeled, conditions: { label: bug } }', false],
    ['another event', 'trigger: issues.opened', false],
    ['the whole kind of event', 'trigger: issues', true],
    ['one of several labels', 'trigger: { event: issues.labeled, conditions: { labels: [feature, ui] } }', true],
    ['several other labels', 'trigger: { event: issues.labeled, conditions: { labels: [bug, ui] } }', false],
  ])('a trigger of a role overlaps with that of a workflow, or not: %s', async (_, head, overlaps) => {
    workflow(head);
    expect((await rig.run(['validate'])).stdout.includes('TRIGGER_OVERLAP')).toBe(overlaps);
  });
});

describe('a command', () => {
  test('a command of two workflows is an error at both, in YAML and TypeScript files', async () => {
    workflow('trigger: { command: review }');
    rig.write(
      '.pawl/workflows/other.ts',
      `import { defineWorkflow } from 'pawl';\nexport default defineWorkflow({\n  name: 'other',\n  trigger: { command: 'review' },\n  steps: { a: { handler: () => ({}), recovery: 'rerun', next: null } },\n});\n`,
    );
    await rig.run(['trust', '--folder', '--yes']);
    const { stdout, code } = await rig.run(['validate']);
    expect(code).not.toBe(0);
    expect(stdout).toMatch(/feature\.yaml:4:21 +error +COMMAND_DUPLICATE/);
    expect(stdout).toMatch(/other\.ts:4:3 +error +COMMAND_DUPLICATE/);
  });
});

describe('a review policy', () => {
  const POLICY = `forge: { kind: local }
review_policy:
  default_requirements: [{ role: reviewer }]
  rules: [{ name: strict, match: { base_branch: release }, requirements: [{ role: reviewer }, { role: second }], sequence: [reviewer, second] }]
roles:
  reviewer: { driver: command, argv: [node, -e, 'console.log(JSON.stringify({ success: true, verdict: "approve", output: {} }))'] }
  second: { driver: command, argv: [node, -e, 'console.log(JSON.stringify({ success: true, verdict: "approve", output: {} }))'] }
`;
  const opened = (action: string, more: object = {}): string[] => [
    ...['trigger', '--event', `pull_request.${action}`, '--payload'],
    JSON.stringify({ action, pull_request: { number: 1, base: { ref: 'main' }, draft: false, ...more } }),
  ];
  beforeEach(async () => {
    rig.write('.pawl/config.yaml', POLICY);
    git(rig.project, 'branch', 'release');
    git(rig.project, 'switch', '--quiet', '--create', 'topic');
    git(rig.project, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '--quiet', '--allow-empty', '-m', 'more');
    await rig.run(['forge', 'pr', 'create', '--head', 'topic', '--title', 'Topic']);
  });

  test('a review policy is triggered by a new head, not by an edit', async () => {
    expect((await rig.json<Triggered>(opened('synchronize'))).delivery.status).toBe('done');
    expect((await rig.json<Triggered>(opened('edited'))).delivery.reason).toContain('not on pull_request.edited');
    expect(await runs()).toEqual(['default-review completed']);
  });

  test('a review policy ignores drafts until they are ready', async () => {
    expect((await rig.json<Triggered>(opened('opened', { draft: true }))).delivery.reason).toBe(
      '"strict": it is not for drafts of pull requests; "default-review": it is not for drafts of pull requests',
    );
  });

  test('a rule of a review policy is for its branch, and the default for branches that no rule names', async () => {
    await rig.run(opened('opened', { base: { ref: 'release' } }));
    expect(await runs()).toEqual(['strict completed']);
  });
});
