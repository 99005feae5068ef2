// Faults that GitHub and its people can cause in a run: outages, limits, logins, pushes, merges and closings by others,
// rules. Each ends as a wait with a time, an outcome of the workflow, or a sentence that says what to do; nothing is merged
// that was not approved.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { workflowFromYaml } from '../../src/api/yaml.ts';
import { readRunReport } from '../../src/control/run/report.ts';
import type { Engine, RunHandle } from '../../src/index.ts';
import { openSample } from '../../src/proof/forge-suite/stage.ts';
import { createRig, type Rig } from '../engine/rig.ts';
import { TOKEN } from './server.ts';
import { type GitHubStage, openGitHubStage } from './stage.ts';
import type { Item } from './state.ts';

const LAND = `apiVersion: pawl.dev/v1
kind: Workflow
metadata: { name: land }
stages:
  - { id: approval, type: gate, conditions: [{ check: pr_approval, from: maintainers, count: 1 }] }
  - { id: merge, type: action, action: merge_pr, method: squash, delete_branch: true, on_success: complete }
`;

let stage: GitHubStage;
let rig: Rig;
beforeEach(async () => {
  stage = await openGitHubStage();
  rig = createRig();
});
afterEach(async () => {
  await rig.close();
  await stage.close();
});

interface Begun {
  readonly engine: Engine;
  readonly run: RunHandle;
  readonly number: number;
  readonly head: string;
  readonly item: Item;
  /** An action at the moment of the merge. */
  ahead(work: () => Promise<void>): void;
}

/** A run whose gate waits for an approval. */
async function begin(text = LAND): Promise<Begun> {
  const compiled = await workflowFromYaml(text);
  const { number, head } = await openSample(stage, 'feature');
  const engine = await rig.open({
    workflows: [compiled],
    forge: stage.forge,
    groups: { maintainers: ['ann', 'pawl-user', 'ci[bot]', 'gone'] },
  });
  const run = await engine.start(compiled, {}, { facts: { pr_number: number } });
  expect((await run.wait('idle')).waits.map(({ kind }) => kind)).toEqual(['checks']);
  const item = stage.hub.state.items.get(number) as Item;
  const ahead = (work: () => Promise<void>): void => {
    stage.hub.beforeNext = { on: `PUT /repos/octo/project/pulls/${number}/merge`, work };
  };
  return { engine, run, number, head, item, ahead };
}

/** Approves, and returns the error that a person sees when the run has stopped. */
async function approved({ engine, run, number }: Begun) {
  await stage.review(number, 'ann', 'approved');
  await expect.poll(async () => (await run.wait('idle')).steps.some(({ path }) => path === 'merge#1')).toBe(true);
  return shown({ engine, run });
}

async function shown({ engine, run }: Pick<Begun, 'engine' | 'run'>) {
  await run.wait('idle');
  const { run: overview, steps, waits } = await readRunReport(engine.store, run.id);
  return {
    status: overview.status,
    error: overview.error,
    steps: steps.map(({ path, status, outcome, error }) => ({ path, status, outcome, error })),
    waits,
  };
}

const MERGE = 'PUT /repos/octo/project/pulls/1/merge';
const inAWhile = (ms: number): string => String(Math.ceil((Date.now() + ms) / 1000));

test.each([
  ['a 502', { status: 502 }],
  ['a 503', { status: 503 }],
  ['a connection that is cut', { status: 0, hangsUp: true }],
  ['a response that is lost after the merge', { status: 502, after: true }],
])('a merge that GitHub cannot do now waits and is done once, after %s', async (_what, fault) => {
  const begun = await begin();
  stage.hub.faults.push({ on: MERGE, ...fault });
  await stage.review(begun.number, 'ann', 'approved');
  const view = await begun.run.wait();
  expect([view.status, begun.item.pull?.merged]).toEqual(['completed', true]);
  expect(stage.hub.log.filter((line) => line === `${MERGE} 200` || (line === `${MERGE} 502` && 'after' in fault))).toHaveLength(1);
});

test.each([
  ['an outage', { status: 503, headers: { 'retry-after': '900' } }],
  [
    'the primary limit',
    {
      status: 403,
      message: 'API rate limit exceeded',
      headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': inAWhile(900_000) },
    },
  ],
  ['a secondary limit', { status: 403, message: 'You have exceeded a secondary rate limit', headers: { 'retry-after': '900' } }],
])('a merge that GitHub cannot do now reports until when it waits: %s', async (_what, fault) => {
  const begun = await begin();
  stage.hub.faults.push({ on: MERGE, ...fault });
  const { status, error, waits } = await approved(begun);
  expect([status, error]).toEqual(['waiting', null]);
  expect(waits).toMatchObject([{ step: 'merge', kind: 'capacity', message: expect.stringContaining(`GitHub answered ${fault.status}`) }]);
  expect(Date.parse(waits[0]?.due ?? '')).toBeGreaterThan(Date.now() + 300_000);
});

test('a login that is no longer valid stops the run and says what to do, and the run continues once there is another login', async () => {
  const begun = await begin();
  begun.ahead(async () => void stage.hub.state.tokens.delete(TOKEN));
  const { status, error, waits } = await approved(begun);
  expect([status, error]).toEqual(['escalated', expect.stringContaining('the login is not valid (any more): renew the token')]);
  expect(waits).toMatchObject([{ kind: 'escalation', command: `pawl retry ${begun.run.id}` }]);
  expect(JSON.stringify(waits)).not.toContain(TOKEN);
  stage.hub.state.tokens.set(TOKEN, 'pawl-user');
  await begun.run.resume({ actor: 'ann', choice: { how: 'retry' } });
  expect((await begun.run.wait()).status).toBe('completed');
});

test('a repository that its owner archived stops the run and says so, and the run continues once it is no longer archived', async () => {
  const begun = await begin();
  begun.ahead(async () => {
    stage.hub.state.archived = true;
  });
  const { status, error, waits } = await approved(begun);
  const ARCHIVED = /Repository was archived so is read-only; unarchive it in its settings at GitHub, or cancel the run$/;
  expect([status, error]).toEqual(['escalated', expect.stringMatching(ARCHIVED)]);
  expect(waits).toMatchObject([{ kind: 'escalation', command: `pawl retry ${begun.run.id}` }]);
  stage.hub.state.archived = false;
  await begun.run.resume({ actor: 'ann', choice: { how: 'retry' } });
  expect((await begun.run.wait()).status).toBe('completed');
});

test('a push between the approval and the merge prevents the merge, and the approval is requested again', async () => {
  const begun = await begin();
  begun.ahead(async () => void (await stage.commit('feature', { 'late.txt': '1' })));
  const { status, steps, waits } = await approved(begun);
  expect([status, steps.map(({ path, outcome }) => `${path} ${outcome}`)]).toEqual([
    'waiting',
    ['approval#1 ok', 'merge#1 stale_head', 'approval#2 null'],
  ]);
  expect(waits[0]).toMatchObject({
    message: expect.stringMatching(/^pr_approval: it waits for maintainers: 0 of 1 approvals of [0-9a-f]{12}$/),
  });
  await stage.review(begun.number, 'ann', 'approved');
  expect((await begun.run.wait()).status).toBe('completed');
  expect(await stage.read('main', 'late.txt')).toBe('1');
});

test('a run continues if a person merged its pull request at the approved head', async () => {
  const begun = await begin();
  begun.ahead(async () => {
    const other = await stage.reopen({ ledger: `${stage.folder}/other.db` });
    await other.mergePullRequest({ number: begun.number, method: 'squash', deleteBranch: false, expectedHead: begun.head }, 'theirs');
  });
  await stage.review(begun.number, 'ann', 'approved');
  expect((await begun.run.wait()).status).toBe('completed');
  expect((await stage.repository.git('log', '--format=%s', 'main')).match(/Add feature/g)).toHaveLength(1);
});

test.each([
  [
    'before the merge',
    async ({ item, ahead }: Begun) =>
      ahead(async () => {
        item.open = false;
      }),
  ],
  [
    'by deleting its branch',
    async ({ item, ahead }: Begun) =>
      ahead(async () => {
        await stage.repository.git('update-ref', '-d', 'refs/heads/feature');
        item.open = false;
      }),
  ],
])('a run whose pull request was closed stops and says so: %s', async (_what, prepare) => {
  const begun = await begin();
  await prepare(begun);
  const { status, error } = await approved(begun);
  expect([status, error]).toEqual([
    'escalated',
    'step "merge": #1 was closed without being merged; open it again at GitHub, or cancel the run',
  ]);
});

test.each([
  ['closed', (item: Item) => Object.assign(item, { open: false }), 'the pull request was closed before it was approved'],
  [
    'merged',
    (item: Item) =>
      Object.assign(item, { open: false, pull: Object.assign(item.pull as object, { merged: true, mergeSha: 'a'.repeat(40) }) }),
    'the pull request was merged before it was approved here',
  ],
])('an approval ends if the pull request is %s in the meantime', async (_how, change, message) => {
  const { engine, run, item } = await begin();
  change(item);
  stage.hub.state.record(item, 'closed', { actor: 'mallory' });
  await expect.poll(async () => (await shown({ engine, run })).error).toContain(message);
  expect((await shown({ engine, run })).status).toBe('escalated');
});

test('an approval by a bot, the author or a person without rights does not count, even if they are in the group', async () => {
  const { engine, run, number } = await begin();
  await stage.account('ci[bot]', { bot: true });
  await stage.account('gone', { permission: 'none' });
  for (const user of ['ci[bot]', 'pawl-user', 'gone']) await stage.review(number, user, 'approved');
  await run.resume({ actor: 'ann' });
  expect(await shown({ engine, run })).toMatchObject({
    status: 'waiting',
    waits: [{ message: expect.stringContaining('0 of 1 approvals') }],
  });
  await stage.review(number, 'ann', 'approved');
  expect((await run.wait()).status).toBe('completed');
});

test('a rule of the repository that rejects a merge stops the run with the message of GitHub', async () => {
  const begun = await begin();
  const said = 'At least 2 approving reviews are required by reviewers with write access.';
  stage.hub.state.mergeRefusal = said;
  expect(await approved(begun)).toMatchObject({ status: 'escalated', error: `step "merge": GitHub did not merge #1: ${said}` });
  stage.hub.state.mergeRefusal = undefined;
  await begun.run.resume({ actor: 'ann', choice: { how: 'retry' } });
  expect((await begun.run.wait()).status).toBe('completed');
});

test('a renamed default branch keeps its pull requests, and the merge goes there', async () => {
  const begun = await begin();
  await stage.repository.git('branch', '-m', 'main', 'trunk');
  stage.hub.state.defaultBranch = 'trunk';
  Object.assign(begun.item.pull as object, { base: 'trunk' });
  await stage.review(begun.number, 'ann', 'approved');
  expect((await begun.run.wait()).status).toBe('completed');
  expect(await stage.read('trunk', 'feature.txt')).toBe('feature\n');
});
