// One `pawl serve` for two repositories: both have issue 1 and pull request 2, and neither is taken for the other's.

import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ForgeProject } from '../cli/forge-project.ts';
import { git } from '../git.ts';
import { labelItem } from '../github/events.ts';
import { TOKEN } from '../github/server.ts';
import { type GitHubStage, openGitHubStage } from '../github/stage.ts';
import { SEARCH_WORKFLOW, searchAgents } from './search-workflow.ts';

const LONG = { timeout: 600_000, interval: 1000 };

let shop: GitHubStage;
let bank: GitHubStage;
let project: ForgeProject;
let second: string;

beforeEach(async () => {
  [shop, bank] = [await openGitHubStage(), await openGitHubStage()];
  project = new ForgeProject();
  second = join(project.rig.folder, 'bank');
  Object.assign(project.rig.settings, { GITHUB_TOKEN: TOKEN });
  project.rig.write('.pawl/workflows/search.yaml', SEARCH_WORKFLOW);
  const forge = `forge: { kind: github, repository: octo/project, auth: { token: GITHUB_TOKEN }, base_url: "${shop.hub.url}", poll: 1s }
secrets: { GITHUB_TOKEN: { env: GITHUB_TOKEN } }`;
  await project.open(searchAgents('src/shop.py'), `${forge}\nserve: { projects: [../bank] }`);
  // Its trigger is every pull request, the one of these runs too.
  rmSync(join(project.rig.project, '.pawl', 'workflows', 'simple-review.yaml'));
  cpSync(project.rig.project, second, { recursive: true });
  const change = (path: string, from: string, to: string): void =>
    writeFileSync(join(second, path), readFileSync(join(second, path), 'utf8').replace(from, to));
  change('.pawl/config.yaml', shop.hub.url, bank.hub.url);
  change('.pawl/config.yaml', 'serve: { projects: [../bank] }\n', '');
  change('.pawl/agent.mjs', 'src/shop.py', 'src/bank.py');
  project.git('push', '--quiet', '--force', join(shop.folder, 'octo', 'project.git'), 'main:main');
  git(second, 'add', '--all');
  git(second, 'commit', '--quiet', '-m', 'bank');
  git(second, 'push', '--quiet', '--force', join(bank.folder, 'octo', 'project.git'), 'main:main');
  await project.pawl('trust', '--folder', '--yes', '--project', second);
});
afterEach(async () => {
  await project.close();
  await shop.close();
  await bank.close();
});

const statuses = async (root: string): Promise<string[]> =>
  (await project.json<{ runs: { workflow: string; status: string }[] }>('runs', '--project', root)).runs.map(
    ({ workflow, status }) => `${workflow} ${status}`,
  );
const idsOf = async (root: string): Promise<string[]> =>
  (await project.json<{ runs: { id: string }[] }>('runs', '--project', root)).runs.map(({ id }) => id);
const merged = ({ hub: { state } }: GitHubStage): unknown => [state.items.size, state.items.get(2)?.pull?.merged, state.items.get(1)?.open];

test('each repository gets its own run, pull request and merge, and equal numbers do not mix', async () => {
  const serving = project.rig.start(['serve', '--port', '0', '--json']);
  expect(await serving.until(/"pid"/)).toContain('"projects"');
  const cursor = (stage: GitHubStage): boolean => stage.hub.log.some((line) => line.includes('/issues/comments'));
  await expect.poll(() => [cursor(shop), cursor(bank)], LONG).toEqual([true, true]);
  for (const { hub } of [shop, bank]) {
    const issue = hub.state.add({ title: 'Add search', body: 'People cannot find anything.', user: 'ann' });
    labelItem(hub.state, issue, { label: 'search', sender: 'ann' });
  }
  await expect.poll(() => [merged(shop), merged(bank)], LONG).toEqual(Array(2).fill([2, false, true]));
  await expect.poll(() => statuses(project.rig.project), LONG).toEqual(['search waiting']);
  await expect.poll(() => statuses(second), LONG).toEqual(['search waiting']);
  await shop.review(2, 'ann', 'approved');
  await expect.poll(() => statuses(project.rig.project), LONG).toEqual(['search completed']);
  // An approval that is looked at again is running for a moment.
  await expect.poll(() => statuses(second), LONG).toEqual(['search waiting']);
  expect([merged(shop), merged(bank)]).toEqual([
    [2, true, false],
    [2, false, true],
  ]);
  await bank.review(2, 'ann', 'approved');
  await expect.poll(() => statuses(second), LONG).toEqual(['search completed']);
  serving.process.kill('SIGTERM');
  await serving.ended;
  expect([merged(shop), merged(bank)]).toEqual(Array(2).fill([2, true, false]));
  for (const [stage, own, other] of [
    [shop, 'shop', 'bank'],
    [bank, 'bank', 'shop'],
  ] as const) {
    expect(await stage.read('main', `src/${own}.py`)).toContain('def find');
    expect(await stage.read('main', `src/${other}.py`)).toBeUndefined();
    expect(stage.hub.log.filter((line) => /^PUT .*\/merge 200$/.test(line))).toHaveLength(1);
    const written = stage.hub.state.comments.map(({ body }) => body).join('\n');
    const ids = { shop: await idsOf(project.rig.project), bank: await idsOf(second) };
    expect(ids[own].map((id) => written.includes(id))).toEqual([true]);
    expect(ids[other].map((id) => written.includes(id))).toEqual([false]);
  }
});
