// The four workflows of seed 002, byte for byte, as a user runs them: from the trigger that each names, on a local forge,
// with a program as agent, and with "pawl forge" to be the people there.

import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, test } from 'vitest';
import { ForgeProject, seedText, type ToldRun } from '../cli/forge-project.ts';

const projects = new Set<ForgeProject>();
afterAll(async () => {
  for (const project of projects) await project.close();
});

async function open(agent: Readonly<Record<string, string>>): Promise<ForgeProject> {
  const project = new ForgeProject();
  projects.add(project);
  await project.open(agent);
  return project;
}

const FIX =
  "write('src/search.py', 'def find(text):\\n    return text\\n'); write('tests/test_search.py', 'def test_it():\\n    assert find(1)\\n')";
const APPROVE = "verdict = 'approve'; output = { feedback: 'fine' }";

const ADOPT = `execFileSync('git', ['add', '--all']);
execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '--quiet', '-m', 'by the agent']);
const branch = execFileSync('git', ['branch', '--show-current'], { encoding: 'utf8' }).trim();
const { argv: [program, ...words], env } = JSON.parse(readFileSync(new URL('./cli.json', import.meta.url), 'utf8'));
execFileSync(program, [...words, '--head', branch, '--title', 'By the agent'], { cwd: new URL('..', import.meta.url).pathname, env })`;

const outcomes = ({ steps }: ToldRun): string[] => steps.map(({ path, outcome }) => `${path} ${outcome}`);

interface ShownPullRequest {
  readonly pullRequest: {
    readonly number: number;
    readonly state: string;
    readonly headBranch: string;
    readonly headSha: string;
    readonly title: string;
  };
}

test.each([
  ['simple-review.yaml', 'a0a028011b3e302c4fcf74ec48de29d1ed225ecb1c0a1a9d3b98dbfde15742d3'],
  ['bug-fix.yaml', '1721f80b209185aa3cf6e14da07793619f51a17dc76e9e9fc0a0645cc4b17631'],
  ['security-feature.yaml', '81c4003dd9dba81232ca26f1cab7e620859277e5b4a27988f89958a1ea4df36e'],
  ['feature-development.yaml', '0f8054ddef425b06b8917bd3dfc3a12775141744483104d13c4c166d9de9d6ae'],
])("%s is the seed's", (file, digest) => {
  expect(createHash('sha256').update(seedText(file)).digest('hex')).toBe(digest);
});

// Side by side: one of the files waits for half a minute by itself.
describe.concurrent('from the command line', () => {
  test('simple-review looks at the head of the pull request it is started for', async () => {
    const project = await open({ review: `output = { feedback: readFileSync('topic.txt', 'utf8') }; verdict = 'approve'` });
    project.git('switch', '--quiet', '--create', 'topic');
    project.rig.write('topic.txt', 'the work');
    project.git('add', '--all');
    project.git('commit', '--quiet', '-m', 'work');
    project.git('switch', '--quiet', 'main');
    await project.pawl('forge', 'pr', 'create', '--head', 'topic', '--title', 'Add topic');
    const told = await project.json<ToldRun>('run', 'simple-review', '--pr', '1');
    expect([told.code, told.run.status, outcomes(told)]).toEqual([0, 'completed', ['review#1 ok']]);
    expect(told.steps[0]?.output).toMatchObject({ feedback: 'the work' });
    expect(project.git('branch', '--list', 'pawl/*')).toBe('');
  });

  test('bug-fix ends with a pull request from the branch that passed its gate', async () => {
    const project = await open({
      diagnose: "output = { outputs: { root_cause: 'find is missing' } }",
      implement: FIX,
      open_pr: "output = { pr: { title: 'Add find', body: 'It was missing.' } }",
    });
    await project.pawl('forge', 'issue', 'create', '--title', 'find fails');
    const early = await project.rig.run(['run', 'bug-fix-workflow', '--issue', '1']);
    expect([early.code, early.stderr]).toEqual([2, expect.stringContaining('it requires the label "bug", but there is no label')]);
    await project.pawl('forge', 'label', '1', '--add', 'bug');
    const told = await project.json<ToldRun>('run', 'bug-fix-workflow', '--issue', '1');
    expect([told.code, outcomes(told)]).toEqual([0, ['diagnose#1 ok', 'implement#1 ok', 'verify#1 ok', 'open_pr#1 ok']]);
    const { pullRequest } = await project.json<ShownPullRequest>('forge', 'pr', 'show', '2');
    expect(pullRequest).toMatchObject({ state: 'open', title: 'Add find', headBranch: `pawl/${told.run.id}` });
    expect(project.at(pullRequest.headBranch, 'tests/test_search.py')).toContain('assert find(1)');
    expect((await project.pawl('forge', 'issue', 'show', '1')).stdout).toContain('find is missing');
    expect(tableRow(project, told.run.id)).toMatchObject({ issue_number: 1, pr_number: 2, status: 'completed' });
  });

  test.each([
    ['opened by the engine for the people who review it', ''],
    ['adopted from the agent that opened it', ADOPT],
  ])(
    'security-feature lands the pull request that was approved: %s',
    async (_how, more) => {
      const project = await open({
        threat_model: "output = { outputs: { threat_analysis: 'none' } }",
        implement: `${FIX}; ${more}`,
        code_review: APPROVE,
        security_audit: APPROVE,
        test_coverage: APPROVE,
      });
      project.rig.write('.pawl/cli.json', JSON.stringify({ argv: project.rig.argv(['forge', 'pr', 'create']), env: project.rig.env() }));
      await project.pawl('forge', 'issue', 'create', '--title', 'Sign in', '--label', 'feature', '--label', 'security');
      const waiting = await project.json<ToldRun>('run', 'security-feature', '--issue', '1');
      expect([waiting.code, waiting.run.status]).toEqual([3, 'waiting']);
      const { pullRequest } = await project.json<ShownPullRequest>('forge', 'pr', 'show', '2');
      expect(pullRequest).toMatchObject({
        state: 'open',
        title: more === '' ? 'Sign in' : 'By the agent',
        headBranch: `pawl/${waiting.run.id}`,
      });
      await project.person('review', '2', '--approve', '--as', 'sue');
      const told = await project.json<ToldRun>('resume', waiting.run.id);
      expect([told.code, told.run.status]).toEqual([0, 'completed']);
      expect([project.at('main', 'src/search.py'), existsSync(join(project.rig.project, 'src/search.py'))]).toEqual([
        'def find(text):\n    return text',
        true,
      ]);
      expect(tableRow(project, told.run.id)).toMatchObject({ pr_number: 2 });
    },
    120_000,
  );

  test('feature-development goes from the issue to the merge', async () => {
    const project = await open({
      research: "output = { outputs: { implementation_plan: 'First the index.' } }",
      implement: FIX,
      documentation: "write('docs/search.md', '# Search')",
      pull_request: "output = { pr: { title: 'Add search', body: '' } }",
      test_review: APPROVE,
      code_review: APPROVE,
    });
    await project.pawl('forge', 'issue', 'create', '--title', 'Add search', '--label', 'feature');
    const waiting = await project.json<ToldRun>('run', 'feature-development', '--issue', '1');
    expect([waiting.code, waiting.run.status]).toEqual([3, 'waiting']);
    await project.person('check', '2', '--name', 'ci', '--conclusion', 'success');
    await project.person('review', '2', '--approve', '--as', 'ann');
    const told = await project.json<ToldRun>('resume', waiting.run.id);
    expect([told.code, told.run.status]).toEqual([0, 'completed']);
    expect(outcomes(told).slice(-4)).toEqual(['human_approval#1 ok', 'merge#1 ok', 'on_complete.1#1 ok', 'on_complete.2#1 ok']);
    expect([project.at('main', 'docs/search.md'), project.git('status', '--porcelain')]).toEqual(['# Search', '']);
    expect(project.git('branch', '--list', 'pawl/*')).toBe('');
    const { issue } = await project.json<{ issue: { state: string } }>('forge', 'issue', 'show', '1');
    expect(issue.state).toBe('closed');
  });
});

function tableRow({ rig }: ForgeProject, run: string): unknown {
  const folder = readdirSync(rig.state).find((name) => existsSync(join(rig.state, name, 'runs.db'))) as string;
  const database = new DatabaseSync(join(rig.state, folder, 'runs.db'), { readOnly: true });
  try {
    return database.prepare('SELECT issue_number, pr_number, status FROM workflow_runs WHERE run_id = ?').get(run);
  } finally {
    database.close();
  }
}
