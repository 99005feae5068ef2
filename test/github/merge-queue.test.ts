// Merging if GitHub does not merge immediately: a branch with a merge queue, and required checks that have not ended.
// Nothing is merged past a queue, nothing enters it twice, and what lands is the head that was approved.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { workflowFromYaml } from '../../src/api/yaml.ts';
import type { MergeRequest } from '../../src/forge/forge.ts';
import { openSample } from '../../src/proof/forge-suite/stage.ts';
import { createVirtualClock, type VirtualClock } from '../../src/proof/virtual-clock.ts';
import { createRig, type Rig } from '../engine/rig.ts';
import { mergeFromQueue } from './graphql.ts';
import { type GitHubStage, openGitHubStage } from './stage.ts';

const HOUR = 3_600_000;

let stage: GitHubStage;
let clock: VirtualClock;
let number: number;
let head: string;
beforeEach(async () => {
  stage = await openGitHubStage();
  clock = createVirtualClock(Date.now());
  ({ number, head } = await openSample(stage, 'feature'));
});
afterEach(() => stage.close());

const state = () => stage.hub.state;
const queue = (): number[] => state().queues.get('main') ?? [];
const merges = (): string[] => stage.hub.log.filter((line) => line.startsWith('PUT') && line.includes('/merge'));
const request = (more: Partial<MergeRequest> = {}): MergeRequest => ({
  ...{ number, deleteBranch: true, expectedHead: head, waits: { visit: 'run/merge#1', forMs: HOUR } },
  ...more,
});

describe('a branch with a merge queue', () => {
  beforeEach(() => void state().queues.set('main', []));

  test('a merge queue receives the approved head once, whichever process dies in between, and its merge is found', async () => {
    const forge = await stage.reopen({ now: clock.now });
    const first = await forge.mergePullRequest(request(), 'run/merge#1/1');
    expect(first).toEqual({ result: 'queued', message: `#${number} is in the merge queue of main`, until: clock.now() + 15_000 });
    const next = await stage.reopen({ now: clock.now });
    clock.advance(HOUR / 2);
    expect(await next.mergePullRequest(request(), 'run/merge#1/2')).toMatchObject({ result: 'queued', until: clock.now() + 300_000 });
    expect([state().enqueued, queue()]).toEqual([1, [number]]);
    await mergeFromQueue(state(), number);
    expect(await next.mergePullRequest(request(), 'run/merge#1/3')).toEqual({
      ...{ result: 'ok', value: { sha: state().headOf('main'), branchDeleted: true } },
    });
    expect(merges()).toEqual([]);
  });

  test('a merge queue whose response was lost gets no second request', async () => {
    stage.hub.faults.push({ on: 'POST /graphql PawlEnqueue', status: 502, after: true });
    const answers = [];
    for (const attempt of [1, 2]) answers.push((await stage.forge.mergePullRequest(request(), `run/merge#1/${attempt}`)).result);
    expect([answers.at(-1), state().enqueued, queue()]).toEqual(['queued', 1, [number]]);
  });

  test('a removal from the merge queue reports a failed check or a conflict; the next attempt adds the head again', async () => {
    await stage.forge.mergePullRequest(request(), 'k/1');
    queue().splice(0);
    expect(await stage.forge.mergePullRequest(request(), 'k/2')).toMatchObject({
      ...{ result: 'ci_failure', message: expect.stringContaining('removed #') },
    });
    expect(await stage.forge.mergePullRequest(request(), 'k/3')).toMatchObject({ result: 'queued' });
    expect(state().enqueued).toBe(2);
    queue().splice(0);
    await stage.commit('main', { 'feature.txt': 'something else' });
    expect(await stage.forge.mergePullRequest(request(), 'k/4')).toMatchObject({ result: 'conflict' });
  });

  test('a merge queue receives only the approved head', async () => {
    await stage.commit('feature', { 'more.txt': 'more' });
    expect(await stage.forge.mergePullRequest(request(), 'k')).toMatchObject({ result: 'stale_head' });
    expect([state().enqueued, merges()]).toEqual([0, []]);
  });

  test('the head is removed from a merge queue that takes longer than "wait" allows', async () => {
    const forge = await stage.reopen({ now: clock.now });
    await forge.mergePullRequest(request(), 'k/1');
    clock.advance(HOUR);
    expect(await forge.mergePullRequest(request(), 'k/2')).toMatchObject({ result: 'ci_failure', message: expect.stringContaining('1h') });
    expect(queue()).toEqual([]);
  });

  test('a merge queue that does not accept the head yet is asked again while required checks run; otherwise its rejection is final', async () => {
    state().queueRefusal = 'Pull request is not ready';
    state().required.set('main', ['unit']);
    await stage.check('feature', { name: 'unit', status: 'in_progress', conclusion: null });
    expect(await stage.forge.mergePullRequest(request(), 'k/1')).toMatchObject({
      ...{ result: 'queued', message: expect.stringContaining('waits for unit') },
    });
    await stage.check('feature', { name: 'unit', status: 'completed', conclusion: 'success' });
    expect(await stage.forge.mergePullRequest(request(), 'k/2')).toMatchObject({
      ...{ result: 'denied', message: expect.stringContaining('not ready') },
    });
  });
});

test('a merge waits for a required check that has not ended', async () => {
  state().required.set('main', ['unit']);
  state().mergeRefusal = 'Required status check "unit" is in progress.';
  await stage.check('feature', { name: 'unit', status: 'in_progress', conclusion: null });
  expect(await stage.forge.mergePullRequest(request(), 'k/1')).toMatchObject({
    ...{ result: 'queued', message: expect.stringContaining('required checks: unit') },
  });
  state().mergeRefusal = undefined;
  await stage.check('feature', { name: 'unit', status: 'completed', conclusion: 'success' });
  expect(await stage.forge.mergePullRequest(request(), 'k/2')).toMatchObject({ result: 'ok' });
});

test('a required check that fails while a merge waits is a failure', async () => {
  state().required.set('main', ['unit']);
  await stage.check('feature', { name: 'unit', status: 'completed', conclusion: 'failure' });
  expect(await stage.forge.mergePullRequest(request(), 'k')).toMatchObject({ result: 'ci_failure' });
});

describe('a run', () => {
  const LAND = `apiVersion: pawl.dev/v1
kind: Workflow
metadata: { name: land }
stages:
  - { id: merge, type: action, action: merge_pr, wait: 2h, on_success: complete }
`;
  let rig: Rig;
  beforeEach(() => {
    rig = createRig();
  });
  afterEach(() => rig.close());

  test('a run waits while its pull request is in the queue, also in another engine, and completes after the merge', async () => {
    state().queues.set('main', []);
    const compiled = await workflowFromYaml(LAND);
    const options = { workflows: [compiled], clock, forge: await stage.reopen({ now: clock.now }) };
    const first = await rig.open(options);
    const { id } = await first.start(compiled, {}, { facts: { pr_number: number } });
    const waiting = await first.run(id).wait('idle');
    expect([waiting.status, waiting.waits.map(({ kind }) => kind), queue()]).toEqual(['waiting', ['capacity'], [number]]);
    await first.close();
    await mergeFromQueue(state(), number);
    const second = await rig.open(options);
    const later = async () => {
      clock.advance(20_000);
      return (await second.run(id).get()).status;
    };
    await second.recover();
    await expect.poll(later).toBe('completed');
    expect([state().enqueued, merges()]).toEqual([1, []]);
  });
});
