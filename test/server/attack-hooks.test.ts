// Attacks on /hooks without the secret.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { step, workflow } from '../../src/index.ts';
import { signDelivery } from '../../src/server/events/signature.ts';
import { EventRig, type Opened } from './event-rig.ts';

let rig: EventRig;
let fetched: string[];
beforeEach(() => {
  rig = new EventRig();
  fetched = [];
});
afterEach(() => rig.close());

const SECRET = 'a secret of the tests';
const noted = workflow('noted', function* () {
  return yield* step('note').task(() => ({ ok: true }));
});
const open = (hook: object = {}): Promise<Opened> =>
  rig.open({
    workflows: [noted],
    events: {
      hooks: { deploy: { secret: 'HOOK', start: 'noted', ...hook } },
      secret: async (name) => {
        fetched.push(name);
        return name === 'HOOK' ? SECRET : Promise.reject(new Error('the program printed nothing'));
      },
    },
  });

interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

function post({ server }: Opened, path: string, { headers = {}, body = '{}' }: Sent = {}): Promise<Response> {
  const all = { 'content-type': 'application/json', ...headers };
  return Promise.resolve(server.fetch(new Request(`http://127.0.0.1${path}`, { method: 'POST', headers: all, body })));
}

function signed(id: string, body = '{}'): Record<string, string> {
  const timestamp = String(Math.floor(rig.clock.now() / 1000));
  const signature = signDelivery(SECRET, { id, timestamp, body: Buffer.from(body) });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature };
}

test('unsigned deliveries do not run the program of a secret each time; a changed secret counts soon', async () => {
  const opened = await open();
  for (let n = 0; n < 30; n += 1) await post(opened, '/hooks/deploy', { headers: { ...signed(`d${n}`), 'webhook-signature': 'v1,wrong' } });
  await Promise.all(Array.from({ length: 30 }, (_, n) => post(opened, '/hooks/deploy', { headers: { 'webhook-id': `e${n}` } })));
  expect(fetched).toEqual(['HOOK']);
  rig.clock.advance(11_000);
  expect((await post(opened, '/hooks/deploy', { headers: signed('d100') })).status).toBe(202);
  expect(fetched).toEqual(['HOOK', 'HOOK']);
});

test('unsigned deliveries do not read a secret that cannot be read each time', async () => {
  const opened = await open({ secret: 'OTHER' });
  for (let n = 0; n < 10; n += 1) expect((await post(opened, '/hooks/deploy', { headers: signed(`d${n}`) })).status).toBe(401);
  expect(fetched).toEqual(['OTHER']);
});

test('the log line of a rejected delivery cannot forge another line or control the terminal', async () => {
  const opened = await open();
  await post(opened, `/hooks/${encodeURIComponent('\u001b[2J\r\npawl: all is well\u202e')}`);
  expect(rig.warnings).toHaveLength(1);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  expect(rig.warnings[0]).not.toMatch(/[\u0000-\u001f\u202e]/);
});

test('log lines of rejected deliveries are limited: a flood is counted, not printed', async () => {
  const opened = await open();
  for (let n = 0; n < 500; n += 1) await post(opened, `/hooks/x${n}`);
  expect(rig.warnings).toHaveLength(10);
  rig.clock.advance(61_000);
  await post(opened, '/hooks/deploy');
  expect(rig.warnings).toHaveLength(11);
  expect(rig.warnings[10]).toContain('490 more');
});

test('a delivery that arrives 50 times at the same time starts one run', async () => {
  const opened = await open();
  const statuses = await Promise.all(
    Array.from(
      { length: 50 },
      async () => ((await (await post(opened, '/hooks/deploy', { headers: signed('d1') })).json()) as { status: string }).status,
    ),
  );
  expect(statuses.filter((status) => status === 'stored')).toHaveLength(1);
  await expect.poll(async () => (await opened.engine.list()).length).toBe(1);
});

test('keys of any length are stored in short form, and still count together', async () => {
  const opened = await open({ key: '{{ body.key }}', rate: { max: 1, perMs: 60_000 } });
  const body = JSON.stringify({ key: 'k'.repeat(500_000) });
  for (const id of ['d1', 'd2']) await post(opened, '/hooks/deploy', { headers: signed(id, body), body });
  const rows = () => opened.server.services.database.all('SELECT status, length(key) AS size FROM deliveries ORDER BY number');
  await expect.poll(() => rows().map(({ status }) => status)).toEqual(['done', 'limited']);
  for (const { size } of rows()) expect(size).toBeLessThan(400);
});

test.each([
  ['in upper case', (value: string) => value.toUpperCase()],
  ['with a space before it', (value: string) => `v1, ${value.slice(3)}`],
  ['under another version', (value: string) => value.replace('v1,', 'v1a,')],
  ['without its padding', (value: string) => value.replace('=', '')],
])('a signature %s is rejected', async (_, changed) => {
  const opened = await open();
  const headers = signed('d1');
  expect(
    (await post(opened, '/hooks/deploy', { headers: { ...headers, 'webhook-signature': changed(headers['webhook-signature'] ?? '') } }))
      .status,
  ).toBe(401);
});

test('a signed body that is hostile JSON is rejected, and not stored', async () => {
  const opened = await open();
  for (const body of ['{"a":1,"a":2}', '{"__proto__":{}}', `${'['.repeat(100_000)}${']'.repeat(100_000)}`])
    expect((await post(opened, '/hooks/deploy', { headers: signed('d1', body), body })).status).toBe(400);
  expect(opened.server.services.database.all('SELECT 1 FROM deliveries')).toEqual([]);
});
