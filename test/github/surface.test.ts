// What people see at GitHub and decide there: over HTTP, with a token and as an App.

import { generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { compiledOf } from '../../src/api/workflow-source.ts';
import { defineWorkflow } from '../../src/compat/index.ts';
import type { GitHubAuth } from '../../src/forge/github/login.ts';
import { openSample } from '../../src/proof/forge-suite/stage.ts';
import { EDIT_MS } from '../../src/server/surface/run/surface.ts';
import { EventRig, type Opened } from '../server/event-rig.ts';
import { APP } from './check-handlers.ts';
import { HOOK_SECRET, payloadFor, type Webhook, webhookRequest } from './events.ts';
import { type GitHubStage, openGitHubStage } from './stage.ts';
import type { Item } from './state.ts';

const RELEASE = defineWorkflow({
  name: 'release',
  steps: [
    { id: 'ask', human: { prompt: 'Ship it?', options: [{ label: 'approve', nextStep: 'end' }] } },
    { id: 'end', handler: () => null, next: null },
  ],
});
const LOOP = {
  ...compiledOf(defineWorkflow({ name: 'loop', steps: [{ id: 'x', handler: () => null, next: null }] })),
  trigger: { event: 'issue_comment', labels: [], baseBranches: [] },
};
const APP_AUTH: GitHubAuth = {
  ...{ kind: 'app', appId: String(APP.id), installationId: APP.installation },
  privateKey: generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  }).privateKey,
};

let stage: GitHubStage;
let rig: EventRig;
let opened: Opened;
beforeEach(() => {
  rig = new EventRig();
});
afterEach(async () => {
  await rig.close();
  await stage.close();
});

async function begin(auth?: GitHubAuth) {
  stage = await openGitHubStage(auth);
  const surface = { comments: true, checks: true, commands: true, selfApproval: false };
  const forge = { ...stage.forge, watch: () => () => undefined };
  opened = await rig.open({
    workflows: [RELEASE, LOOP],
    events: { forge: { forge, surface, webhook: { secret: 'HOOK', repository: 'octo/project' } }, secret: async () => HOOK_SECRET },
  });
  const { number, head } = await openSample(stage, 'topic');
  const run = await opened.engine.start(compiledOf(RELEASE), {} as never, { origin: { pr: number } });
  await shows(`approve ${run.id}`);
  return { run, number, head };
}

const bodies = (): string => stage.hub.state.comments.map(({ body }) => body).join('\n----\n');
async function shows(text: string): Promise<void> {
  await expect
    .poll(
      () => {
        if (!bodies().includes(text)) rig.clock.advance(EDIT_MS);
        return bodies();
      },
      { timeout: 20_000 },
    )
    .toContain(text);
}

/** A person comments at GitHub later, and GitHub sends the webhook. */
async function say(number: number, user: string, body: string) {
  const id = Number(await stage.comment(number, user, body));
  const made = stage.hub.state.comments.find((one) => one.id === id);
  const later = new Date(Date.now() + 60_000).toISOString().replace(/\.\d+Z$/, 'Z');
  Object.assign(made ?? {}, { createdAt: later, updatedAt: later });
  const item = stage.hub.state.items.get(number) as Item;
  const comment = { id, body, user: { login: user, type: 'User' }, created_at: later, updated_at: later };
  const { pull_request, ...payload } = payloadFor(item, { action: 'created', sender: user, comment }) as { pull_request: object };
  return deliver({ event: 'issue_comment', payload: { ...payload, issue: { ...pull_request, pull_request: {} } } }, String(id));
}

async function deliver(webhook: Webhook, comment: string) {
  const before = Number(opened.server.services.database.get('SELECT coalesce(max(number), 0) AS n FROM deliveries')?.n);
  expect((await opened.server.fetch(webhookRequest('http://127.0.0.1', webhook))).status).toBe(202);
  const read = () => opened.server.services.database.get('SELECT status, reason FROM deliveries WHERE number > ?', before);
  await expect.poll(() => read()?.status ?? 'received').not.toBe('received');
  return { ...read(), reactions: (await stage.reactions(comment)).map(({ reaction }) => reaction) };
}

test('with a token, a gate is a commit status, and the permission from the API decides about a command', async () => {
  const { run, number, head } = await begin();
  await expect.poll(() => stage.hub.state.statuses).toMatchObject([{ sha: head, context: 'pawl: release / ask', state: 'pending' }]);
  await stage.account('mallory', { permission: 'read' });
  expect(await say(number, 'mallory', '/pawl approve')).toMatchObject({ status: 'ignored', reactions: ['-1'] });
  // Pawl uses this account: an agent's comment has the same author.
  expect(await say(number, 'pawl-user', '/pawl approve')).toMatchObject({
    status: 'ignored',
    reason: expect.stringContaining('uses this account'),
  });
  expect(await say(number, 'ann', '/pawl approve')).toMatchObject({ status: 'done', reactions: ['eyes', '+1'] });
  await run.wait();
  await shows('"approve" by github:ann');
  await expect.poll(() => stage.hub.state.statuses).toMatchObject([{ context: 'pawl: release / ask', state: 'success' }]);
  const own = stage.hub.state.comments.filter(({ body }) => body.startsWith('### '));
  expect(own).toHaveLength(1);
  // Its own comment, as GitHub tells it, starts nothing.
  const item = stage.hub.state.items.get(number) as Item;
  const comment = { id: own[0]?.id, body: own[0]?.body, user: { login: 'pawl-user', type: 'User' } };
  const echo = { event: 'issue_comment', payload: payloadFor(item, { action: 'edited', sender: 'pawl-user', comment }) };
  expect(await deliver(echo, String(own[0]?.id))).toMatchObject({ reason: 'Pawl wrote this itself, so it is ignored' });
  expect((await opened.engine.list()).map(({ workflow }) => workflow)).toEqual(['release']);
});

test('with a token, an edited comment, or one whose text differs from the event, decides nothing', async () => {
  const { number } = await begin();
  const id = Number(await stage.comment(number, 'ann', 'hello'));
  const item = stage.hub.state.items.get(number) as Item;
  const comment = { id, body: '/pawl approve', user: { login: 'ann', type: 'User' } };
  const forged = { event: 'issue_comment', payload: payloadFor(item, { action: 'created', sender: 'ann', comment }) };
  expect(await deliver(forged, String(id))).toMatchObject({ status: 'ignored', reason: expect.stringContaining('was edited') });
});

test('as an App, a gate is a check run with its evidence, updated and not duplicated; commands of the App are ignored', async () => {
  const { run, number, head } = await begin(APP_AUTH);
  const own = () => stage.hub.state.checks.filter(({ app }) => app === APP.slug);
  await expect.poll(own).toMatchObject([{ sha: head, name: 'pawl: release / ask', status: 'in_progress' }]);
  await stage.account(`${APP.slug}[bot]`, { permission: 'write', bot: true });
  expect(await say(number, `${APP.slug}[bot]`, '/pawl approve')).toMatchObject({ status: 'ignored', reactions: [] });
  expect(await say(number, 'ann', '/pawl approve')).toMatchObject({ status: 'done' });
  await run.wait();
  await shows('release completed');
  await expect.poll(own).toMatchObject([{ name: 'pawl: release / ask', status: 'completed', conclusion: 'success' }]);
  const checks = await stage.forge.checks(head);
  expect(checks.result === 'ok' && checks.value).toMatchObject([{ name: 'pawl: release / ask', own: true }]);
});
