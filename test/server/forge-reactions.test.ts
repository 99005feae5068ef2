// Runs react to events of the forge as their workflows say: once per delivery, and never to their own actions.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ReactionSpec } from '../../src/authoring/spec/reaction.ts';
import { defineWorkflow } from '../../src/compat/index.ts';
import { type LocalForge, openLocalForge } from '../../src/forge/local/local-forge.ts';
import { relayForge } from '../../src/forge/relay.ts';
import { git } from '../git.ts';
import { EventRig, type Opened } from './event-rig.ts';

let rig: EventRig;
/** As the engine uses it, and as a person does. */
let forge: LocalForge;
let eve: LocalForge;
let repository: string;
beforeEach(async () => {
  rig = new EventRig();
  repository = join(rig.folder, 'repository');
  git(rig.folder, 'init', '--quiet', '--initial-branch=main', 'repository');
  commit('README.md');
  git(repository, 'checkout', '--quiet', '-b', 'work');
  commit('work.txt');
  git(repository, 'checkout', '--quiet', 'main');
  const shared = { repository, state: join(rig.folder, 'forge.db'), now: () => rig.clock.now() };
  forge = await openLocalForge(shared);
  eve = await openLocalForge({ ...shared, actor: 'eve' });
  await forge.createIssue({ title: 'Search', body: '', labels: [] }, 'issue');
  await forge.openPullRequest({ title: 'Search', body: '', head: 'work', base: 'main' }, 'pr');
});
afterEach(async () => {
  await rig.close();
  await forge.close();
  await eve.close();
});

function commit(name: string): string {
  writeFileSync(join(repository, name), `${name}\n`);
  git(repository, 'add', '.');
  git(repository, 'commit', '--quiet', '-m', name);
  return git(repository, 'rev-parse', 'HEAD').trim();
}

const ISSUE = 1;
const PR = 2;

function reacting(...onEvents: ReactionSpec[]) {
  return defineWorkflow({
    name: 'reacting',
    onEvents,
    facts: ['pr_number', 'issue_number'],
    steps: [
      { id: 'work', handler: () => ({ done: true }), next: 'wait' },
      { id: 'wait', signal: 'go', next: null },
    ],
  });
}

async function start(...onEvents: ReactionSpec[]): Promise<Opened & { readonly run: string }> {
  const workflow = reacting(...onEvents);
  const opened = await rig.open({ workflows: [workflow], events: { forge: { forge, groups: () => ({ maintainers: ['ann'] }) } } });
  const { id } = await opened.engine.start(workflow, {}, { facts: { issue_number: ISSUE, pr_number: PR } });
  await opened.engine.run(id).wait('idle');
  return { ...opened, run: id };
}

const status = async ({ engine, run }: { engine: Opened['engine']; run: string }) => (await engine.run(run).get()).status;

async function reactions({ engine, run }: { engine: Opened['engine']; run: string }) {
  const rows = await engine.store.events(run, 0);
  return rows
    .flatMap(({ events }) => events)
    .flatMap((event) => (event.type === 'run.changed' && event.change === 'reacted' ? [event] : []));
}

/** The results of the deliveries of an event, oldest first. */
async function deliveries({ ask }: Opened, event: string) {
  const { body } = await ask('GET', '/api/v1/deliveries');
  const all = (body as { deliveries: { number: number; event: string; status: string; reason: string | null }[] }).deliveries;
  return all.filter((one) => one.event === event).reverse();
}

test('an event at the forge cancels the run whose workflow says so, and the log names the delivery and the person', async () => {
  const opened = await start({ event: 'issues.closed', do: 'cancel' });
  await eve.closeIssue({ number: ISSUE }, 'eve/close');
  await expect.poll(() => status(opened)).toBe('cancelled');
  const [reacted] = await reactions(opened);
  expect(reacted).toMatchObject({ actor: 'eve', reaction: { rule: 0, do: 'cancel', event: 'issues.closed' } });
  expect(reacted?.reaction.eventId).toMatch(/^local\/./);
  await expect.poll(() => deliveries(opened, 'issues.closed')).toMatchObject([{ status: 'done', run: opened.run, reason: 'it reacted' }]);
});

test('an event at the forge that the engine caused is ignored, although a person uses the same login', async () => {
  const opened = await start({ event: 'issue_comment.created', do: 'cancel' }, { event: 'issues.labeled', do: 'cancel' });
  await forge.comment({ number: ISSUE, body: 'the engine wrote this' }, 'run/comment');
  await forge.addLabels({ number: ISSUE, labels: ['seen'] }, 'run/label');
  await expect
    .poll(() => deliveries(opened, 'issues.labeled'))
    .toMatchObject([
      { status: 'ignored', reason: expect.stringContaining(`run ${opened.run} does not react: it caused the event itself`) },
    ]);
  expect(await reactions(opened)).toEqual([]);
  await eve.comment({ number: ISSUE, body: 'stop' }, 'eve/comment');
  await expect.poll(() => status(opened)).toBe('cancelled');
});

test('an event at the forge about something else, or by a person without rights, does nothing', async () => {
  forge.control.account('mallory', { permission: 'read' });
  const opened = await start({ event: 'issue_comment.created', do: 'cancel' });
  const mallory = await openLocalForge({ repository, state: join(rig.folder, 'forge.db'), actor: 'mallory', now: () => rig.clock.now() });
  await mallory.comment({ number: ISSUE, body: 'stop it' }, 'mallory');
  await eve.createIssue({ title: 'Other', body: '', labels: [] }, 'eve/other');
  await eve.comment({ number: 3, body: 'stop it' }, 'eve/elsewhere');
  await mallory.close();
  await expect
    .poll(() => deliveries(opened, 'issue_comment.created'))
    .toMatchObject([{ reason: expect.stringContaining('"mallory" has no write permission') }, { status: 'ignored' }]);
  expect(await status(opened)).toBe('waiting');
});

test('an event at the forge notifies people once, however often its delivery is handled', async () => {
  const opened = await start({ event: 'issues.labeled', do: 'notify', notify: 'maintainers', message: 'Look at this.' });
  await eve.addLabels({ number: ISSUE, labels: ['urgent'] }, 'eve/label');
  await expect
    .poll(() => forge.control.notifications())
    .toMatchObject([{ target: 'maintainers', people: ['ann'], message: 'Look at this.' }]);
  const [{ number } = { number: 0 }] = await deliveries(opened, 'issues.labeled');
  await opened.ask('POST', `/api/v1/deliveries/${number}/resend`);
  expect(forge.control.notifications()).toHaveLength(1);
  expect(await reactions(opened)).toHaveLength(1);
});

const rule: ReactionSpec = { event: 'pull_request.synchronize', do: 'invalidate_and_restart', step: 'work', max: 1 };
const visits = async ({ engine, run }: { engine: Opened['engine']; run: string }) =>
  (await engine.run(run).get()).steps.filter(({ step }) => step === 'work').length;

async function push(by: LocalForge, name: string): Promise<string> {
  git(repository, 'checkout', '--quiet', '--detach', 'work');
  const sha = commit(name);
  git(repository, 'checkout', '--quiet', 'main');
  expect(await by.push({ folder: repository, branch: 'work', sha })).toMatchObject({ result: 'ok' });
  return sha;
}

test('a push by another person to the branch of a run sends the run back, up to its limit; then it escalates', async () => {
  const opened = await start(rule);
  await push(eve, 'one.txt');
  await expect.poll(() => visits(opened)).toBe(2);
  const [{ number } = { number: 0 }] = await deliveries(opened, 'pull_request.synchronize');
  await opened.ask('POST', `/api/v1/deliveries/${number}/resend`);
  expect(await visits(opened)).toBe(2);
  await push(eve, 'two.txt');
  await expect.poll(() => status(opened)).toBe('escalated');
});

test('a push of a commit from the worktree of a run does not send the run back, even before the run has recorded the push', async () => {
  const workflow = reacting(rule);
  const opened = await rig.open({ workflows: [workflow], events: { forge: { forge } } });
  const tree = join(rig.folder, 'tree');
  git(repository, 'worktree', 'add', '--quiet', '-b', 'own', tree, 'work');
  const head = { branch: 'work', local: 'own', from: git(tree, 'rev-parse', 'HEAD').trim() };
  const origin = { workspace: tree, head };
  const { id: run } = await opened.engine.start(workflow, {}, { facts: { pr_number: PR }, origin });
  await opened.engine.run(run).wait('idle');
  git(tree, 'commit', '--quiet', '--allow-empty', '-m', 'own');
  expect(await forge.push({ folder: tree, branch: 'work', sha: git(tree, 'rev-parse', 'HEAD').trim() })).toMatchObject({ result: 'ok' });
  await expect
    .poll(() => deliveries(opened, 'pull_request.synchronize'))
    .toMatchObject([{ status: 'ignored', reason: expect.stringContaining('it caused the event itself') }]);
  await push(forge, 'not-of-the-run.txt');
  await expect.poll(() => visits({ ...opened, run })).toBe(2);
});

test('gates check again on an event that the workflow names', async () => {
  const gated = defineWorkflow({
    name: 'gated',
    facts: ['pr_number'],
    onEvents: [{ event: 'pull_request_review.submitted', conditions: { reviewState: 'approved' }, do: 'reevaluate_gates' }],
    steps: [{ id: 'gate', gate: { checks: [{ check: 'pr_approval', from: ['maintainers'], count: 1 }] }, next: null }],
  });
  const groups = { maintainers: ['ann'] };
  const opened = await rig.open({
    workflows: [gated],
    events: { forge: { forge } },
    // An engine that hears of no events: only the reaction makes its gate look.
    engine: { forge: relayForge(forge).forge, groups },
  });
  const { id: run } = await opened.engine.start(gated, {}, { facts: { pr_number: PR } });
  await opened.engine.run(run).wait('idle');
  await forge.control.review(PR, { actor: 'ann' });
  await expect.poll(() => status({ ...opened, run })).toBe('completed');
  expect(await reactions({ ...opened, run })).toMatchObject([{ actor: 'ann', reaction: { do: 'reevaluate_gates' } }]);
});
