// A workflow of seed 002, byte for byte, from the command line to a merge at GitHub: the GitHub of the tests over HTTP,
// with real git, its people and its CI.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ForgeProject, type ToldRun } from '../cli/forge-project.ts';
import { TOKEN } from '../github/server.ts';
import { type GitHubStage, openGitHubStage } from '../github/stage.ts';

const APPROVE = "verdict = 'approve'; output = { feedback: 'fine' }";
const AGENT = {
  research: "output = { outputs: { implementation_plan: 'First the index.' } }; write('env.json', JSON.stringify(process.env))",
  implement:
    "write('src/search.py', 'def find(text):\\n    return text\\n'); write('tests/test_search.py', 'def test_it():\\n    assert find(1)\\n')",
  documentation: "write('docs/search.md', '# Search')",
  pull_request: "output = { pr: { title: 'Add search', body: 'Closes nothing.' } }",
  test_review: APPROVE,
  code_review: APPROVE,
};

let stage: GitHubStage;
let project: ForgeProject;

beforeEach(async () => {
  stage = await openGitHubStage();
  project = new ForgeProject();
  const forge = `forge: { kind: github, repository: octo/project, auth: { token: GITHUB_TOKEN }, base_url: "${stage.hub.url}", poll: 1s }
secrets: { GITHUB_TOKEN: { env: GITHUB_TOKEN } }`;
  project.rig.settings.GITHUB_TOKEN = TOKEN;
  process.env.GITHUB_TOKEN = TOKEN;
  await project.open(AGENT, forge);
  project.git('push', '--quiet', '--force', join(stage.folder, 'octo', 'project.git'), 'main:main');
});
afterEach(async () => {
  delete process.env.GITHUB_TOKEN;
  await project.close();
  await stage.close();
});

test('feature-development goes from an issue at GitHub to a merged pull request', async () => {
  const { state } = stage.hub;
  const issue = state.add({ title: 'Add search', body: 'People cannot find anything.', user: 'ann' });
  issue.labels = ['feature'];
  const waiting = await project.json<ToldRun>('run', 'feature-development', '--issue', '1');
  expect([waiting.code, waiting.run.status]).toEqual([3, 'waiting']);
  const pull = state.items.get(2);
  expect(pull).toMatchObject({ title: 'Add search', user: 'pawl-user', pull: { head: `pawl/${waiting.run.id}`, base: 'main' } });
  await stage.check(`pawl/${waiting.run.id}`, { name: 'ci', status: 'completed', conclusion: 'success' });
  await stage.review(2, 'ann', 'approved');
  const told = await project.json<ToldRun>('resume', waiting.run.id);
  expect([told.code, told.run.status]).toEqual([0, 'completed']);
  expect(await stage.read('main', 'src/search.py')).toBe('def find(text):\n    return text\n');
  expect([state.items.size, pull?.pull?.merged, issue.open]).toEqual([2, true, false]);
  expect(JSON.stringify(told)).not.toContain(TOKEN);
  expect(readFileSync(join(project.rig.project, '.git', 'config'), 'utf8')).not.toContain(TOKEN);
  expect(await stage.read('main', 'env.json')).not.toContain(TOKEN);
});
