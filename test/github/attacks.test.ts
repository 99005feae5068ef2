// What somebody can send to /hooks/github, or write at GitHub, and what comes of it. docs/guides/github-security.md has the table.

import { createHmac } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { valueIn } from '../../src/proof/forge-suite/stage.ts';
import { HOOK_SECRET, labelItem, payloadFor, type Webhook, webhookRequest } from './events.ts';
import { LOGIN } from './server.ts';
import type { Item } from './state.ts';
import { TriggerRig, waits } from './trigger-rig.ts';

let rig: TriggerRig;
beforeEach(async () => {
  rig = await TriggerRig.open();
});
afterEach(() => rig.close());

const FEATURE = waits('feature', { label: 'feature' });
const NAMED = waits('deploy');

/** The request of a webhook with other headers; null leaves one out. */
function altered(webhook: Webhook, headers: Readonly<Record<string, string | null>>): Request {
  const request = webhookRequest('http://127.0.0.1', webhook);
  for (const [name, value] of Object.entries(headers)) {
    if (value === null) request.headers.delete(name);
    else request.headers.set(name, value);
  }
  return request;
}

const sign = (algorithm: string, text: string): string => createHmac(algorithm, HOOK_SECRET).update(text).digest('hex');

test.each<[string, (text: string) => Record<string, string | null>]>([
  ['W01: no signature', () => ({ 'x-hub-signature-256': null })],
  ['W03: an empty signature', () => ({ 'x-hub-signature-256': '' })],
  ['W03: a wrong signature', () => ({ 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` })],
  ['W03: a short signature', (text) => ({ 'x-hub-signature-256': `sha256=${sign('sha256', text).slice(0, 8)}` })],
  ['W03: SHA-1 alone', (text) => ({ 'x-hub-signature-256': null, 'x-hub-signature': `sha1=${sign('sha1', text)}` })],
  ['W03: SHA-1 instead of SHA-256', (text) => ({ 'x-hub-signature-256': `sha1=${sign('sha1', text)}` })],
  ['W03: a signature in capitals', (text) => ({ 'x-hub-signature-256': `sha256=${sign('sha256', text).toUpperCase()}` })],
  ['W03: two signatures', (text) => ({ 'x-hub-signature-256': `sha256=${sign('sha256', text)}, sha256=${sign('sha256', text)}` })],
  [
    'W03: a signature with a letter outside of ASCII',
    (text) => ({ 'x-hub-signature-256': `sha256=${sign('sha256', text).replace(/^./, 'é')}` }),
  ],
  [
    'a signature with an empty secret',
    (text) => ({ 'x-hub-signature-256': `sha256=${createHmac('sha256', '').update(text).digest('hex')}` }),
  ],
])('%s is rejected with 401, and nothing is stored', async (_what, headers) => {
  const opened = await rig.serve([FEATURE]);
  const webhook = rig.label(rig.issue(), 'feature');
  expect(await rig.send(opened, altered(webhook, headers(JSON.stringify(webhook.payload))))).toEqual([401, 'DELIVERY_REFUSED']);
  expect(await rig.deliveries(opened)).toEqual([]);
});

test.each([
  ['it is empty', async () => ''],
  ['it cannot be read', async () => Promise.reject(new Error('there is no secret "HOOK"'))],
])('W02: without a usable secret every delivery is rejected: %s', async (_what, secret) => {
  const forge = { ...rig.stage.forge, watch: () => () => undefined };
  const opened = await rig.events.open({
    workflows: [FEATURE],
    events: { forge: { forge, webhook: { secret: 'HOOK', repository: 'octo/project' } }, secret },
  });
  expect(await rig.send(opened, { ...rig.label(rig.issue(), 'feature'), secret: '' })).toEqual([401, 'DELIVERY_REFUSED']);
});

test('W02: without a secret in the settings there is no such route', async () => {
  const forge = { ...rig.stage.forge, watch: () => () => undefined };
  const opened = await rig.events.open({ workflows: [FEATURE], events: { forge: { forge }, secret: async () => HOOK_SECRET } });
  expect(await rig.send(opened, rig.label(rig.issue(), 'feature'))).toEqual([401, 'DELIVERY_REFUSED']);
});

test.each<[string, Partial<Webhook> & { readonly headers?: Record<string, string> }, number]>([
  ['W07: a form-encoded body', { type: 'application/x-www-form-urlencoded' }, 400],
  ['W07: a body that is not JSON', { payload: 'not an object' as never }, 400],
])('%s is rejected, although it is signed', async (_what, difference, status) => {
  const opened = await rig.serve([FEATURE]);
  expect((await rig.send(opened, { ...rig.label(rig.issue(), 'feature'), ...difference }))[0]).toBe(status);
  expect(await rig.deliveries(opened)).toEqual([]);
});

test('W07: a compressed body is not decompressed, and one of more than 25 MB is rejected before it is read', async () => {
  const opened = await rig.serve([FEATURE]);
  const packed = gzipSync('0'.repeat(1_000_000));
  const headers = {
    'content-type': 'application/json',
    'content-encoding': 'gzip',
    'x-github-event': 'issues',
    'x-github-delivery': 'a',
  };
  const signature = `sha256=${createHmac('sha256', HOOK_SECRET).update(packed).digest('hex')}`;
  const post = (more: Record<string, string>, body: Uint8Array | string) =>
    new Request('http://127.0.0.1/hooks/github', { method: 'POST', headers: { ...headers, ...more }, body: body as never });
  expect((await rig.send(opened, post({ 'x-hub-signature-256': signature }, packed)))[0]).toBe(400);
  expect((await rig.send(opened, post({ 'content-length': String(26 * 1024 * 1024) }, '{}')))[0]).toBe(413);
});

test('W04: five copies of a webhook at the same time count as one', async () => {
  const opened = await rig.serve([FEATURE]);
  const webhook = { ...rig.label(rig.issue(), 'feature'), id: 'a-1' };
  const answers = await Promise.all(Array.from({ length: 5 }, () => rig.send(opened, webhook)));
  expect(answers.map(([, status]) => status).toSorted()).toEqual(['duplicate', 'duplicate', 'duplicate', 'duplicate', 'stored']);
});

test('W04: the same comment by the webhook of the repository and by that of the App starts one run', async () => {
  const opened = await rig.serve([NAMED]);
  const item = rig.issue();
  const { event, payload } = rig.comment(item, `@${LOGIN} workflow:deploy`);
  const comment = { ...(payload.comment as object), created_at: '2026-11-01T00:00:00Z', updated_at: '2026-11-01T00:00:00Z' };
  const { run } = await rig.sent(opened, { event, payload: { ...payload, comment } });
  await opened.engine.run(run as string).signal('go', { payload: {} });
  await opened.engine.run(run as string).wait();
  const again = await rig.sent(opened, { event, payload: { ...payload, comment, installation: { id: 1 } } });
  expect(again).toMatchObject({ status: 'ignored', reason: expect.stringMatching(/^the same event arrived as delivery \d+$/) });
});

test('W05: a webhook that is repeated after a long time is recognised, even if the list of deliveries is full', async () => {
  const opened = await rig.serve([FEATURE]);
  const webhook = rig.label(rig.issue(), 'feature');
  await rig.sent(opened, { ...webhook, id: 'a-1' });
  const { database } = opened.server.services;
  rig.events.clock.advance(31 * 86_400_000);
  // A hundred others, so that old ones are removed.
  for (let index = 0; index < 100; index += 1) await rig.send(opened, { event: 'ping', payload: { index } });
  expect(database.get("SELECT count(*) AS n FROM deliveries WHERE delivery = 'a-1'")?.n).toBe(0);
  expect(await rig.send(opened, { ...webhook, id: 'a-2' })).toEqual([202, 'duplicate']);
});

test('W05: an old webhook that was never received starts nothing', async () => {
  const opened = await rig.serve([FEATURE]);
  const item = rig.issue();
  const webhook = rig.label(item, 'feature');
  item.updatedAt = '2020-01-01T00:00:00Z';
  const payload = payloadFor(item, { action: 'labeled', sender: 'ann', label: { name: 'feature' } });
  expect((await rig.sent(opened, { ...webhook, payload })).reason).toContain('it is from 2020-01-01T00:00:00.000Z, which is too old');
});

test('a webhook that is late or out of order is compared with the current state', async () => {
  const opened = await rig.serve([FEATURE, waits('review', { event: 'pull_request.opened' })]);
  const item = rig.issue();
  const webhook = rig.label(item, 'feature');
  item.labels = [];
  expect(await rig.sent(opened, webhook)).toMatchObject({ status: 'ignored', reason: 'the label "feature" was removed meanwhile' });
  await rig.stage.commit('topic', { 'a.txt': '1' });
  const request = { title: 'Topic', body: '', head: 'topic', base: 'main' };
  const { number } = valueIn(await rig.stage.forge.openPullRequest(request, 'by-hand'));
  const pull = rig.stage.hub.state.items.get(number) as Item;
  const opening = { event: 'pull_request', payload: payloadFor(pull, { action: 'opened', sender: 'ann' }) };
  pull.open = false;
  expect((await rig.sent(opened, opening)).reason).toBe(`pull request #${number} is now closed`);
});

test('W10: commands by a stranger, by a bot and in an edited comment are ignored', async () => {
  await rig.stage.account('mallory', { permission: 'none' });
  const opened = await rig.serve([NAMED]);
  const command = `@${LOGIN} workflow:deploy`;
  expect((await rig.sent(opened, rig.comment(rig.issue(), command, { sender: 'mallory' }))).reason).toContain(
    '"mallory" may not start workflows',
  );
  const item = rig.issue();
  const edited = { id: 8, body: command, user: { login: 'ann', type: 'User' } };
  const edit = { event: 'issue_comment', payload: payloadFor(item, { action: 'edited', sender: 'mallory', comment: edited }) };
  expect((await rig.sent(opened, edit)).status).toBe('ignored');
  const bot = { ...edited, id: 9, user: { login: 'ci[bot]', type: 'Bot' } };
  const said = { event: 'issue_comment', payload: payloadFor(item, { action: 'created', sender: 'ci[bot]', comment: bot }) };
  expect((await rig.sent(opened, said)).status).toBe('ignored');
  expect(await opened.engine.list()).toEqual([]);
});

test('W10: rights in the payload are ignored: GitHub is asked for the permission', async () => {
  await rig.stage.account('mallory', { permission: 'read' });
  const opened = await rig.serve([FEATURE]);
  const item = rig.issue();
  const { event, payload } = labelItem(rig.stage.hub.state, item, { label: 'feature', sender: 'mallory' });
  const flattering = {
    ...payload,
    sender: { login: 'mallory', type: 'User', site_admin: true, author_association: 'OWNER', permissions: { admin: true } },
  };
  expect((await rig.sent(opened, { event, payload: flattering })).reason).toContain('(permission: read)');
});
