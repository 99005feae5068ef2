// A merge that GitHub has not decided yet continues as soon as an event about it arrives, by webhook or by polling. The
// clock does not advance in these tests, so that only events wake a run.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { workflowFromYaml } from '../../src/api/yaml.ts';
import { relayForge } from '../../src/forge/relay.ts';
import { openSample } from '../../src/proof/forge-suite/stage.ts';
import { EventRig, type Opened } from '../server/event-rig.ts';
import { HOOK_SECRET, payloadFor, type Webhook, webhookRequest } from './events.ts';
import { mergeFromQueue } from './graphql.ts';
import { type GitHubStage, openGitHubStage } from './stage.ts';
import { type PullItem, stamp } from './state.ts';

const WAIT = { timeout: 30_000 };

let stage: GitHubStage;
let rig: EventRig;
let number: number;
let head: string;
beforeEach(async () => {
  stage = await openGitHubStage();
  rig = new EventRig();
  ({ number, head } = await openSample(stage, 'feature'));
});
afterEach(async () => {
  await rig.close();
  await stage.close();
});

const state = () => stage.hub.state;
const item = () => state().items.get(number) as PullItem;
const queue = (): number[] => state().queues.get('main') ?? [];

/** GitHub lets the next try through. */
function letMerge(): void {
  state().mergeRefusal = undefined;
}

const LAND = `apiVersion: pawl.dev/v1
kind: Workflow
metadata: { name: land }
stages:
  - { id: merge, type: action, action: merge_pr, on_success: complete, on_ci_failure: removed }
  - { id: removed, type: human, prompt: It was removed }
`;

interface Waiting extends Opened {
  readonly run: string;
}

/** Opens a server that hears by webhooks or by polling, with a run whose merge is under way. */
async function begin(way: 'webhook' | 'polling'): Promise<Waiting> {
  const source = way === 'polling' ? stage.forge : { ...stage.forge, watch: () => () => undefined };
  const relay = relayForge(source);
  const compiled = await workflowFromYaml(LAND);
  const opened = await rig.open({
    workflows: [compiled],
    engine: { forge: relay.forge },
    events: {
      forge: { forge: source, onEvent: relay.publish, webhook: { secret: 'HOOK', repository: 'octo/project' } },
      secret: async () => HOOK_SECRET,
    },
  });
  const { id } = await opened.engine.start(compiled, {}, { facts: { pr_number: number } });
  const { status, waits } = await opened.engine.run(id).wait('idle');
  expect([status, waits.map(({ kind }) => kind)]).toEqual(['waiting', ['capacity']]);
  return { ...opened, run: id };
}

async function send({ server }: Opened, webhook: Webhook): Promise<void> {
  expect((await server.fetch(webhookRequest('http://127.0.0.1', webhook))).status).toBe(202);
}

const about = (action: string): Webhook => ({ event: 'pull_request', payload: payloadFor(item(), { action, sender: 'ann' }) });
const REST = {
  repository: { id: 1, name: 'project', full_name: 'octo/project', default_branch: 'main' },
  sender: { login: 'github-merge-queue[bot]', type: 'Bot' },
};
const QUEUE_SHA = 'd'.repeat(40);
const queueBranch = () => `gh-readonly-queue/main/pr-${number}-${'c'.repeat(40)}`;
const group = (): Webhook => ({
  event: 'merge_group',
  payload: {
    ...{ action: 'destroyed', reason: 'merged', ...REST },
    merge_group: { head_sha: QUEUE_SHA, head_ref: `refs/heads/${queueBranch()}`, base_ref: 'refs/heads/main', base_sha: head },
  },
});
const checkRun = (sha: string, branch: string | null): Webhook => ({
  event: 'check_run',
  payload: {
    ...{ action: 'completed', ...REST },
    check_run: { id: 5, head_sha: sha, completed_at: stamp(), check_suite: { id: 6, head_branch: branch }, pull_requests: [] },
  },
});
const checkSuite = (sha: string, branch: string | null): Webhook => ({
  event: 'check_suite',
  payload: {
    action: 'completed',
    ...REST,
    check_suite: { id: 6, head_sha: sha, head_branch: branch, updated_at: stamp(), pull_requests: [] },
  },
});
const commitStatus = (sha: string, branches: readonly string[]): Webhook => ({
  event: 'status',
  payload: { ...REST, id: 8, sha, state: 'success', context: 'ci', branches: branches.map((name) => ({ name })) },
});

const workflowRun = (sha: string, branch: string | null): Webhook => ({
  event: 'workflow_run',
  payload: {
    ...{ action: 'completed', ...REST },
    workflow_run: { id: 7, name: 'CI', head_sha: sha, head_branch: branch, updated_at: stamp(), pull_requests: [] },
  },
});

describe('a merge that is in the queue', () => {
  beforeEach(() => void state().queues.set('main', []));

  test.each([
    ['that its pull request was closed', () => about('closed')],
    ['of its merge group', group],
    ['of a check of its merge group', () => checkRun(QUEUE_SHA, queueBranch())],
    ['of the checks of its merge group', () => checkSuite(QUEUE_SHA, queueBranch())],
    ['of a workflow of its merge group', () => workflowRun(QUEUE_SHA, queueBranch())],
    ['of a status of its merge group', () => commitStatus(QUEUE_SHA, ['other', queueBranch()])],
  ])('a merge in the queue ends at the webhook %s', async (_, webhook) => {
    const waiting = await begin('webhook');
    await mergeFromQueue(state(), number);
    await send(waiting, webhook());
    await expect.poll(async () => (await waiting.engine.run(waiting.run).get()).status, WAIT).toBe('completed');
  });

  test.each(['webhook', 'polling'] as const)(
    'a merge that is removed from the queue is an immediate failure of its checks, by %s',
    async (way) => {
      const waiting = await begin(way);
      queue().splice(0);
      state().record(item(), 'removed_from_merge_queue', { actor: 'github-merge-queue[bot]' });
      if (way === 'webhook') await send(waiting, about('dequeued'));
      await expect.poll(async () => (await waiting.engine.run(waiting.run).get()).currentStep, WAIT).toBe('removed');
    },
  );

  test('a merge in the queue ends when polling finds that its pull request was closed', async () => {
    const waiting = await begin('polling');
    await mergeFromQueue(state(), number);
    await expect.poll(async () => (await waiting.engine.run(waiting.run).get()).status, WAIT).toBe('completed');
  });

  test('a merge in the queue checks again neither for other pull requests nor for events that cannot end it', async () => {
    const other = await openSample(stage, 'docs');
    const waiting = await begin('webhook');
    const requests = stage.hub.log.filter((line) => line.includes('PawlQueue')).length;
    await send(waiting, checkRun(other.head, 'docs'));
    await send(waiting, about('labeled'));
    await send(waiting, { event: 'push', payload: { ...REST, ref: 'refs/heads/docs', after: other.head } });
    const listed = async () =>
      ((await waiting.ask('GET', '/api/v1/deliveries')).body as { deliveries: { status: string }[] }).deliveries.map(
        ({ status }) => status,
      );
    await expect.poll(listed, WAIT).toEqual(['ignored', 'ignored', 'ignored']);
    await mergeFromQueue(state(), number);
    await send(waiting, group());
    await expect.poll(async () => (await waiting.engine.run(waiting.run).get()).status, WAIT).toBe('completed');
    expect(stage.hub.log.filter((line) => line.includes('PawlQueue'))).toHaveLength(requests);
  });
});

describe('a merge that waits for required checks', () => {
  beforeEach(async () => {
    state().required.set('main', ['unit']);
    state().mergeRefusal = 'Required status check "unit" is in progress.';
    await stage.check('feature', { name: 'unit', status: 'in_progress', conclusion: null });
  });

  test.each([
    ['check', () => checkRun(head, 'feature')],
    ['check, of a fork as GitHub tells it', () => checkRun(head, null)],
    ['suite', () => checkSuite(head, 'feature')],
    ['workflow, which is all that starts a job for checks in GitHub Actions', () => workflowRun(head, 'feature')],
    ['status', () => commitStatus(head, ['feature'])],
  ])('a merge that waits for required checks continues at the webhook of a %s', async (_, webhook) => {
    const waiting = await begin('webhook');
    letMerge();
    await send(waiting, webhook());
    await expect.poll(async () => (await waiting.engine.run(waiting.run).get()).status, WAIT).toBe('completed');
  });

  test('a merge that waits for required checks continues when polling finds the end of a check', async () => {
    const waiting = await begin('polling');
    letMerge();
    await stage.check('feature', { name: 'unit', status: 'completed', conclusion: 'success' });
    await expect.poll(async () => (await waiting.engine.run(waiting.run).get()).status, WAIT).toBe('completed');
  });

  test('a merge that waits for required checks continues when polling finds a commit status', async () => {
    state().checks.splice(0);
    const pending = { sha: head, context: 'unit', state: 'pending', description: null };
    state().statuses.push({ ...pending, id: state().id(), at: stamp() });
    const waiting = await begin('polling');
    letMerge();
    state().statuses.splice(0, 1, { ...pending, state: 'success', id: state().id(), at: stamp() });
    await expect.poll(async () => (await waiting.engine.run(waiting.run).get()).status, WAIT).toBe('completed');
  });
});
