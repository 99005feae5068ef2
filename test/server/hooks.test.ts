import { request } from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { arg, step, workflow } from '../../src/index.ts';
import type { HookSetting } from '../../src/server/events/event-settings.ts';
import { signDelivery } from '../../src/server/events/signature.ts';
import { EventRig, type Opened } from './event-rig.ts';

let rig: EventRig;
beforeEach(() => {
  rig = new EventRig();
});
afterEach(() => rig.close());

const SECRET = 'a secret of the tests';
const deploy = workflow('deploy', { params: { version: arg({ default: 'none' }) } }, function* ({ version }) {
  return yield* step('deploy').task((which: string) => ({ which }), version as string);
});
const waiting = workflow('waiting', function* () {
  return yield* step('hear').signal('deployed');
});
const START: HookSetting = { secret: 'HOOK', start: 'deploy', params: { version: '{{ body.version }}' } };
const open = (hook: HookSetting = START): Promise<Opened> =>
  rig.open({
    workflows: [deploy, waiting],
    events: {
      hooks: { deploy: hook },
      secret: async (name) => (name === 'HOOK' ? SECRET : Promise.reject(new Error(`no secret ${name}`))),
    },
  });

interface Sent {
  readonly id: string;
  readonly body?: unknown;
  readonly at?: number;
  readonly secret?: string;
  readonly signature?: string;
  readonly path?: string;
}

/** Sends a delivery as a program of Standard Webhooks does. */
async function send({ server }: Opened, { id, body = { version: '1.2' }, at, secret = SECRET, signature, path = '/hooks/deploy' }: Sent) {
  const text = JSON.stringify(body);
  const timestamp = String(Math.floor((at ?? rig.clock.now()) / 1000));
  const signed = signature ?? signDelivery(secret, { id, timestamp, body: Buffer.from(text) });
  const headers = { 'content-type': 'application/json', 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signed };
  const response = await server.fetch(new Request(`http://127.0.0.1${path}`, { method: 'POST', headers, body: text }));
  return { status: response.status, body: (await response.json()) as { status?: string; code?: string; detail?: string } };
}

interface Listed {
  readonly number: number;
  readonly delivery: string;
  readonly status: string;
  readonly reason: string | null;
  readonly run: string | null;
}

const list = async ({ ask }: Opened) => ((await ask('GET', '/api/v1/deliveries')).body as { deliveries: Listed[] }).deliveries;
const statuses = async (opened: Opened) => (await list(opened)).map(({ delivery, status }) => `${delivery} ${status}`);

test('a delivery starts the workflow of its hook with fields of its body, once per id', async () => {
  const opened = await open();
  expect(await send(opened, { id: 'd1' })).toMatchObject({ status: 202, body: { status: 'stored' } });
  await expect.poll(() => statuses(opened)).toEqual(['d1 done']);
  expect(await send(opened, { id: 'd1' })).toMatchObject({ status: 202, body: { status: 'duplicate' } });
  const [run, ...others] = await opened.engine.list();
  expect([run?.workflow, run?.origin.event, run?.origin.deliveryId, others]).toEqual(['deploy', 'hook.deploy', 'd1', []]);
  expect((await opened.engine.run(run?.id as string).wait()).output).toEqual({ which: '1.2' });
});

test('DL1: a delivery sent five times at the same time to two servers starts one run', async () => {
  const servers = [await open(), await open()] as const;
  const sent = await Promise.all([0, 1, 0, 1, 0].map((which) => send(servers[which as 0 | 1], { id: 'd1' })));
  expect(sent.map(({ body }) => body.status).sort()).toEqual(['duplicate', 'duplicate', 'duplicate', 'duplicate', 'stored']);
  await expect.poll(() => statuses(servers[0])).toEqual(['d1 done']);
  expect(await servers[0].engine.list()).toHaveLength(1);
});

test('DL2: a delivery that was stored but not handled is handled by the next server, and starts no second run', async () => {
  const before = await open();
  await send(before, { id: 'd1' });
  await expect.poll(() => statuses(before)).toEqual(['d1 done']);
  before.server.services.database.run("UPDATE deliveries SET status = 'received', run = NULL");
  await before.close();
  const after = await open();
  await expect.poll(() => statuses(after)).toEqual(['d1 done']);
  expect(await after.engine.list()).toHaveLength(1);
});

test.each([
  ['another secret', { secret: 'wrong' }],
  ['no signature', { signature: '' }],
  ['a short signature', { signature: 'v1,abc' }],
  ['an old time', { at: Date.UTC(2025, 11, 31, 23, 54) }],
  ['a time in the future', { at: Date.UTC(2026, 0, 1, 0, 6) }],
  ['an id that is not one', { id: 'x/../y' }],
  ['a hook that is not there', { path: '/hooks/other' }],
  ['the name of a property of all objects', { path: '/hooks/constructor' }],
])('a delivery with %s is rejected with the same response, and not stored', async (_, difference) => {
  const opened = await open();
  const { status, body } = await send(opened, { id: 'd1', ...difference });
  expect([status, body.code, body.detail]).toEqual([401, 'DELIVERY_REFUSED', 'this delivery is not accepted']);
  expect(await list(opened)).toEqual([]);
  expect(rig.warnings).toHaveLength(1);
});

test('a delivery whose body was changed after it was signed is rejected', async () => {
  const opened = await open();
  const timestamp = String(Math.floor(rig.clock.now() / 1000));
  const signature = signDelivery(SECRET, { id: 'd1', timestamp, body: Buffer.from('{"version":"1"}') });
  expect((await send(opened, { id: 'd1', body: { version: '2' }, signature })).status).toBe(401);
});

test('a delivery whose secret cannot be read is rejected', async () => {
  const opened = await open({ ...START, secret: 'OTHER' });
  expect((await send(opened, { id: 'd1' })).status).toBe(401);
  expect(rig.warnings[0]).toContain('no secret OTHER');
});

test('templates in the body of a delivery stay text', async () => {
  const opened = await open();
  await send(opened, { id: 'd1', body: { version: '{{ headers.host }}' } });
  await expect.poll(() => statuses(opened)).toEqual(['d1 done']);
  const [run] = await opened.engine.list();
  expect((await opened.engine.run(run?.id as string).wait()).output).toEqual({ which: '{{ headers.host }}' });
});

test('a delivery larger than a megabyte is cut off on the wire', async () => {
  const opened = await open();
  const { port } = await opened.server.listen({ port: 0 });
  const status = await new Promise((resolve, reject) => {
    const sent = request({ port, host: '127.0.0.1', path: '/hooks/deploy', method: 'POST' }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    sent.on('error', reject);
    sent.end(Buffer.alloc(2 * 1024 * 1024));
  });
  expect(status).toBe(413);
});

test('a delivery that does not meet its condition does nothing and says why; one that fails can be resent', async () => {
  const opened = await open({ ...START, when: "body.kind == 'release'", params: { version: '{{ body.version }}' } });
  await send(opened, { id: 'd1', body: { kind: 'push' } });
  await send(opened, { id: 'd2', body: { kind: 'release' } });
  await expect.poll(() => statuses(opened)).toEqual(['d2 failed', 'd1 ignored']);
  const [failed, ignored] = await list(opened);
  expect([ignored?.reason, failed?.reason]).toEqual(["its condition is false: body.kind == 'release'", expect.stringContaining('version')]);
  await opened.close();
  const repaired = await open({ ...START, params: {} });
  const again = await repaired.ask('POST', `/api/v1/deliveries/${failed?.number}/resend`);
  expect(again.body).toMatchObject({ delivery: { delivery: 'd2', status: 'done', body: { kind: 'release' } } });
  expect(await repaired.ask('POST', '/api/v1/deliveries/99/resend')).toMatchObject({ status: 404, body: { code: 'DELIVERY_UNKNOWN' } });
});

test('deliveries are listed in pages that neither repeat nor miss one when others arrive in the meantime', async () => {
  const opened = await open({ ...START, when: 'false' });
  for (const id of ['d1', 'd2', 'd3']) await send(opened, { id });
  const page = async (query: string) =>
    (await opened.ask('GET', `/api/v1/deliveries?limit=2${query}`)).body as { deliveries: Listed[]; next: string | null };
  const first = await page('');
  await send(opened, { id: 'd4' });
  const second = await page(`&cursor=${first.next}`);
  expect([first, second].map(({ deliveries }) => deliveries.map(({ delivery }) => delivery))).toEqual([['d3', 'd2'], ['d1']]);
  expect([second.next, (await opened.ask('GET', '/api/v1/deliveries?cursor=x')).body]).toMatchObject([null, { code: 'REQUEST_INVALID' }]);
});

test('a delivery sends a signal to the run that it names, once', async () => {
  const opened = await open({ secret: 'HOOK', signal: { run: '{{ body.run }}', name: 'deployed', payload: { by: '{{ body.by }}' } } });
  const run = await opened.engine.start(waiting);
  await send(opened, { id: 'd1', body: { run: run.id, by: 'ci' } });
  expect((await run.wait()).output).toEqual({ by: 'ci' });
  await send(opened, { id: 'd2', body: { run: 'nobody', by: 'ci' } });
  await expect.poll(() => statuses(opened)).toEqual(['d2 ignored', 'd1 done']);
});

test('deliveries are debounced per key: only the last one counts, after a time without others', async () => {
  const opened = await open({ ...START, key: '{{ body.repo }}', debounceMs: 10_000 });
  await send(opened, { id: 'a1', body: { repo: 'a', version: '1' } });
  await send(opened, { id: 'b1', body: { repo: 'b', version: '7' } });
  rig.clock.advance(6000);
  await send(opened, { id: 'a2', body: { repo: 'a', version: '2' } });
  rig.clock.advance(6000);
  await expect.poll(() => statuses(opened)).toEqual(['a2 received', 'b1 done', 'a1 superseded']);
  rig.clock.advance(6000);
  await expect.poll(() => statuses(opened)).toEqual(['a2 done', 'b1 done', 'a1 superseded']);
});

test('a delivery above the rate limit of its key is kept but not handled', async () => {
  const opened = await open({ ...START, key: '{{ body.repo }}', rate: { max: 1, perMs: 60_000 } });
  for (const [id, repo] of [
    ['a1', 'a'],
    ['a2', 'a'],
    ['b1', 'b'],
  ])
    await send(opened, { id: id as string, body: { repo, version: '1' } });
  await expect.poll(() => statuses(opened)).toEqual(['b1 done', 'a2 limited', 'a1 done']);
  rig.clock.advance(61_000);
  await send(opened, { id: 'a3', body: { repo: 'a', version: '1' } });
  await expect.poll(async () => (await statuses(opened))[0]).toBe('a3 done');
});
