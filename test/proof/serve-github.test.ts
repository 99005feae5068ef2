// From a label to a merged pull request through `pawl serve`, with the GitHub of the tests: the server is killed on the way, a
// webhook comes twice, and polling finds the rest. One run, one pull request, one merge.

import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ForgeProject } from '../cli/forge-project.ts';
import { HOOK_SECRET, labelItem, type Webhook, webhookRequest } from '../github/events.ts';
import { TOKEN } from '../github/server.ts';
import { type GitHubStage, openGitHubStage } from '../github/stage.ts';
import { SEARCH_WORKFLOW, searchAgents } from './search-workflow.ts';

let stage: GitHubStage;
let project: ForgeProject;

beforeEach(async () => {
  stage = await openGitHubStage();
  project = new ForgeProject();
  const forge = `forge: { kind: github, repository: octo/project, auth: { token: GITHUB_TOKEN }, base_url: "${stage.hub.url}", poll: 1s, webhook_secret: GITHUB_HOOK }
secrets: { GITHUB_TOKEN: { env: GITHUB_TOKEN }, GITHUB_HOOK: { env: GITHUB_HOOK } }`;
  Object.assign(project.rig.settings, { GITHUB_TOKEN: TOKEN, GITHUB_HOOK: HOOK_SECRET });
  project.rig.write('.pawl/workflows/search.yaml', `${SEARCH_WORKFLOW}  - comment: { target: issue, message: "Merged." }\n`);
  await project.open(searchAgents('src/search.py'), forge);
  // Its trigger is every pull request, the one of this run too.
  rmSync(join(project.rig.project, '.pawl', 'workflows', 'simple-review.yaml'));
  project.git('push', '--quiet', '--force', join(stage.folder, 'octo', 'project.git'), 'main:main');
});
afterEach(async () => {
  await project.close();
  await stage.close();
});

async function serve() {
  const serving = project.rig.start(['serve', '--port', '0', '--json']);
  const [, url = ''] = /"url": "(.*?)"/.exec(await serving.until(/"pid"/)) ?? [];
  const send = async (webhook: Webhook): Promise<string> =>
    ((await (await fetch(webhookRequest(url, webhook))).json()) as { status: string }).status;
  const kill = async (): Promise<void> => {
    serving.process.kill('SIGKILL');
    await serving.ended;
  };
  return { serving, send, kill };
}

const runs = async () => (await project.json<{ runs: { id: string; workflow: string; status: string }[] }>('runs')).runs;
const statuses = async (): Promise<string[]> => (await runs()).map(({ workflow, status }) => `${workflow} ${status}`);
const LONG = { timeout: 600_000, interval: 1000 };

test('a label leads to one run, one pull request and one merge, although the server is killed three times', async () => {
  const { state } = stage.hub;
  const first = await serve();
  const issue = state.add({ title: 'Add search', body: 'People cannot find anything.', user: 'ann' });
  const webhook = { ...labelItem(state, issue, { label: 'search', sender: 'ann' }), id: randomUUID() };
  expect(await first.send(webhook)).toBe('stored');
  await first.kill();
  const second = await serve();
  expect(await second.send(webhook)).toBe('duplicate');
  await expect.poll(async () => state.items.get(2)?.title, LONG).toBe('Add search');
  await second.kill();
  const third = await serve();
  await expect.poll(statuses, LONG).toEqual(['search waiting']);
  await third.kill();
  // Nothing runs while the person decides: the next server finds it by polling.
  await stage.review(2, 'ann', 'approved');
  const fourth = await serve();
  await expect.poll(statuses, LONG).toEqual(['search completed']);
  fourth.serving.process.kill('SIGTERM');
  await fourth.serving.ended;
  expect([state.items.size, state.items.get(2)?.pull?.merged, issue.open]).toEqual([2, true, false]);
  expect(await stage.read('main', 'src/search.py')).toBe('def find(text):\n    return text\n');
  expect(stage.hub.log.filter((line) => /^PUT .*\/merge 200$/.test(line))).toHaveLength(1);
  const written = state.comments.map(({ number, body }) => `${number} ${body.replace(/<!--[\s\S]*?-->/g, '').trim()}`);
  expect(new Set(written).size).toBe(written.length);
});
