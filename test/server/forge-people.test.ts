// Questions that people decide at the forge: whose decision counts, who is asked there, and how often they are reminded.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { EngineOptions } from '../../src/api/engine-options.ts';
import type { QuestionSpec } from '../../src/authoring/graph/spec.ts';
import { defineWorkflow } from '../../src/compat/index.ts';
import { type LocalForge, openLocalForge } from '../../src/forge/local/local-forge.ts';
import { git } from '../git.ts';
import { EventRig, type Opened } from './event-rig.ts';

const ISSUE = 1;
const PR = 2;
const groups = { maintainers: ['ann', 'bob'] };

let rig: EventRig;
let forge: LocalForge;
const others: LocalForge[] = [];
let shared: { repository: string; state: string; now: () => number };
beforeEach(async () => {
  rig = new EventRig();
  const repository = join(rig.folder, 'repository');
  git(rig.folder, 'init', '--quiet', '--initial-branch=main', 'repository');
  for (const branch of ['main', 'work']) {
    if (branch === 'work') git(repository, 'checkout', '--quiet', '-b', branch);
    writeFileSync(join(repository, `${branch}.txt`), branch);
    git(repository, 'add', '.');
    git(repository, 'commit', '--quiet', '-m', branch);
  }
  git(repository, 'checkout', '--quiet', 'main');
  shared = { repository, state: join(rig.folder, 'forge.db'), now: () => rig.clock.now() };
  forge = await openLocalForge(shared);
  await forge.createIssue({ title: 'Search', body: '', labels: [] }, 'issue');
  await forge.openPullRequest({ title: 'Search', body: '', head: 'work', base: 'main' }, 'pr');
});
afterEach(async () => {
  await rig.close();
  for (const one of [forge, ...others.splice(0)]) await one.close();
});

async function as(actor: string): Promise<LocalForge> {
  const one = await openLocalForge({ ...shared, actor });
  others.push(one);
  return one;
}

type Asking = Opened & { readonly run: string };

const workflowOf = (human: QuestionSpec) =>
  defineWorkflow({ name: 'asking', facts: ['pr_number'], steps: [{ id: 'ask', human, next: null }] });

async function ask(
  human: Omit<QuestionSpec, 'prompt'>,
  { aheadMs, ...engine }: Partial<EngineOptions> & { readonly aheadMs?: number } = {},
): Promise<Asking> {
  const at = aheadMs === undefined ? forge : { ...forge, aheadMs: () => aheadMs };
  const workflow = workflowOf({ prompt: 'Ship it?', ...human });
  const opened = await rig.open({
    workflows: [workflow],
    events: { forge: { forge: at, groups: () => groups } },
    engine: { groups, ...engine },
  });
  const { id } = await opened.engine.start(workflow, {}, { facts: { issue_number: ISSUE, pr_number: PR } });
  await opened.engine.run(id).wait('idle');
  return { ...opened, run: id };
}

const view = ({ engine, run }: Asking) => engine.run(run).get();

async function reasons({ ask: request }: Asking, event: string): Promise<(string | null)[]> {
  const { body } = await request('GET', '/api/v1/deliveries');
  const all = (body as { deliveries: { event: string; status: string; reason: string | null }[] }).deliveries;
  return all.filter((one) => one.event === event && one.status !== 'received').map(({ reason }) => reason);
}

async function decisions({ engine, run }: Asking) {
  const events = (await engine.store.events(run, 0)).flatMap((row) => row.events);
  return events.flatMap((event) => (event.type === 'run.changed' && event.change === 'decided' ? [event.decision] : []));
}

test('a question that waits for a review is decided only by the approval of a member with write permission', async () => {
  const asking = await ask({ waitFor: 'approval', from: ['maintainers'] });
  await forge.control.review(PR, { actor: 'mallory' });
  await forge.control.review(PR, { actor: 'bob', bot: true });
  await forge.control.review(PR, { actor: 'ann', permission: 'read' });
  await expect.poll(() => reasons(asking, 'pull_request_review.submitted')).toHaveLength(3);
  expect(await decisions(asking)).toEqual([]);
  await forge.control.review(PR, { actor: 'ann' });
  await expect.poll(async () => (await view(asking)).status).toBe('completed');
  expect(await decisions(asking)).toMatchObject([{ actor: 'ann', option: 'approve' }]);
});

test('a question that waits for a review is rejected by a review that asks for changes', async () => {
  const asking = await ask({ waitFor: 'approval' });
  await forge.control.review(PR, { actor: 'ann', state: 'changes_requested' });
  await expect.poll(async () => (await view(asking)).status).toBe('rejected');
});

test('a question that waits for a review is decided by an approval from before the question', async () => {
  await forge.control.review(PR, { actor: 'ann' });
  const asking = await ask({ waitFor: 'approval' });
  await expect.poll(async () => (await view(asking)).status).toBe('completed');
});

test('a comment decides a question that waits for one, with its text, unless the engine wrote it', async () => {
  const asking = await ask({ waitFor: 'comment' });
  await forge.comment({ number: ISSUE, body: 'the engine says' }, 'own');
  await expect.poll(() => reasons(asking, 'issue_comment.created')).toHaveLength(1);
  expect((await view(asking)).status).toBe('waiting');
  await (await as('ann')).comment({ number: ISSUE, body: 'Yes, ship it.' }, 'ann');
  await expect.poll(async () => (await view(asking)).status).toBe('completed');
  expect(await decisions(asking)).toMatchObject([{ actor: 'ann', option: 'approve', input: 'Yes, ship it.' }]);
});

test('only the expected label decides a question that waits for a label', async () => {
  const asking = await ask({ waitFor: 'label', label: 'ship' });
  const ann = await as('ann');
  await ann.addLabels({ number: ISSUE, labels: ['other'] }, 'other');
  await expect.poll(() => reasons(asking, 'issues.labeled')).toHaveLength(1);
  expect((await view(asking)).status).toBe('waiting');
  await ann.addLabels({ number: ISSUE, labels: ['ship'] }, 'ship');
  await expect.poll(async () => (await view(asking)).status).toBe('completed');
});

test('a dismissed review decides a question that waits for a dismissal', async () => {
  const asking = await ask({ waitFor: 'dismiss' });
  await forge.control.review(PR, { actor: 'bob', state: 'changes_requested' });
  forge.control.dismiss(PR, 'bob');
  await expect.poll(async () => (await view(asking)).status).toBe('completed');
});

test('people are assigned and asked for a review once; the author is not asked', async () => {
  const asking = await ask({ autoAssign: ['maintainers', 'pawl'] });
  const reviewers = async () => {
    const pull = await forge.pullRequest(PR);
    return pull.result === 'ok' ? [pull.value.reviewers, pull.value.assignees] : [];
  };
  await expect.poll(reviewers).toEqual([
    ['ann', 'bob'],
    ['ann', 'bob', 'pawl'],
  ]);
  await asking.close();
  const again = await rig.open({ workflows: [workflowOf({ prompt: 'Ship it?' })], events: { forge: { forge, groups: () => groups } } });
  await again.ask('GET', '/api/v1/deliveries');
  const done = await forge.done(asking.run);
  expect(done.result === 'ok' ? done.value.map(({ action }) => action) : done).toEqual(['assign', 'requestReviewers']);
});

test('a reminder is sent once per interval, up to the limit, and once after a long pause', async () => {
  const HOUR = 3_600_000;
  const asking = await ask({ from: ['maintainers'], reminders: { interval: '24h', max: 3 } });
  const sent = () => forge.control.notifications().map(({ people, message }) => ({ people, message }));
  rig.clock.advance(23 * HOUR);
  expect(sent()).toEqual([]);
  rig.clock.advance(HOUR);
  await expect.poll(() => sent().length).toBe(1);
  expect(sent()[0]).toEqual({ people: ['ann', 'bob'], message: `Reminder 1 of 3: run ${asking.run} still waits for a decision at "ask".` });
  await asking.close();
  // No server runs for ten days.
  rig.clock.advance(240 * HOUR);
  const workflow = workflowOf({ prompt: 'Ship it?', from: ['maintainers'], reminders: { interval: '24h', max: 3 } });
  await rig.open({ workflows: [workflow], events: { forge: { forge, groups: () => groups } }, engine: { groups } });
  await expect.poll(() => sent().length).toBe(2);
  rig.clock.advance(23 * HOUR);
  expect(sent()).toHaveLength(2);
  rig.clock.advance(HOUR);
  await expect.poll(() => sent().length).toBe(3);
  rig.clock.advance(72 * HOUR);
  expect(sent()).toHaveLength(3);
});

/** A person whose earlier actions are polled only now. */
const late = async (actor: string, byMs: number): Promise<LocalForge> => {
  const one = await openLocalForge({ ...shared, actor, now: () => rig.clock.now() - byMs });
  others.push(one);
  return one;
};
const BEFORE = expect.stringContaining('before the question had its current content; repeat it');

test('FD5: a comment from before a question does not decide it, however late it is delivered', async () => {
  const asking = await ask({ waitFor: 'comment' });
  await (await late('ann', 5000)).comment({ number: ISSUE, body: 'Wait, this is broken.' }, 'early');
  await expect.poll(() => reasons(asking, 'issue_comment.created')).toEqual([BEFORE]);
  expect(await decisions(asking)).toEqual([]);
});

test('FD5: a label from before a question does not decide it', async () => {
  const asking = await ask({ waitFor: 'label', label: 'ship' });
  await (await late('ann', 5000)).addLabels({ number: ISSUE, labels: ['ship'] }, 'early');
  await expect.poll(() => reasons(asking, 'issues.labeled')).toEqual([BEFORE]);
  expect(await decisions(asking)).toEqual([]);
});

test('FD5: a comment counts by the clock of the forge if the clock of this machine is ahead', async () => {
  const asking = await ask({ waitFor: 'comment' }, { aheadMs: -60_000 });
  await (await late('ann', 65_000)).comment({ number: ISSUE, body: 'Wait, this is broken.' }, 'early');
  await expect.poll(() => reasons(asking, 'issue_comment.created')).toEqual([BEFORE]);
  await (await late('ann', 58_000)).comment({ number: ISSUE, body: 'Ship it.' }, 'seen');
  await expect.poll(async () => (await view(asking)).status).toBe('completed');
  expect(await decisions(asking)).toMatchObject([{ actor: 'ann', input: 'Ship it.' }]);
});

test('FD5: a comment from before a question does not decide it if the clock of the forge is ahead', async () => {
  const asking = await ask({ waitFor: 'comment' }, { aheadMs: 60_000 });
  await (await late('ann', -30_000)).comment({ number: ISSUE, body: 'Wait, this is broken.' }, 'early');
  await expect.poll(() => reasons(asking, 'issue_comment.created')).toEqual([BEFORE]);
  expect(await decisions(asking)).toEqual([]);
});

test('FD5: a comment about content that has changed since does not decide a question', async () => {
  const file = join(shared.repository, 'notes.txt');
  writeFileSync(file, 'as it was shown');
  const asking = await ask({ waitFor: 'comment', subjects: { files: ['notes.txt'] } }, { cwd: shared.repository });
  rig.clock.advance(60_000);
  writeFileSync(file, 'as nobody saw it');
  await expect(asking.engine.run(asking.run).decide({ option: 'approve', actor: 'bob' })).rejects.toMatchObject({
    code: 'CONTENT_CHANGED',
  });
  await (await late('ann', 30_000)).comment({ number: ISSUE, body: 'Ship it.' }, 'early');
  await expect.poll(() => reasons(asking, 'issue_comment.created')).toEqual([BEFORE]);
  await (await as('ann')).comment({ number: ISSUE, body: 'Ship that, too.' }, 'seen');
  await expect.poll(async () => (await view(asking)).status).toBe('completed');
  expect(await decisions(asking)).toMatchObject([{ actor: 'ann', input: 'Ship that, too.' }]);
});
