// The rights of a login over HTTP compared with those of the command line, and the options of programs that mount the
// server.

import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createEngine } from '../../src/api/engine.ts';
import type { LoginScope } from '../../src/authority/rights.ts';
import { defineWorkflow as defineSteps } from '../../src/compat/index.ts';
import { defineWorkflow } from '../../src/index.ts';
import { revokePerson } from '../../src/server/access/people.ts';
import { ACCESS_TABLES } from '../../src/server/access/tables.ts';
import { openServer, PARTS } from '../../src/server/app-server.ts';
import type { Caller } from '../../src/server/caller.ts';
import { openServerDatabase } from '../../src/server/server-database.ts';
import { AccessRig } from './access-rig.ts';

const DAILY = defineWorkflow({
  name: 'daily',
  trigger: { schedule: '0 6 * * *' },
  steps: { go: { handler: () => ({}), next: null } },
});
const ASK = defineSteps({
  name: 'publish',
  steps: [
    { id: 'draft', handler: () => ({ text: 'x' }), next: 'ask' },
    {
      id: 'ask',
      human: {
        prompt: 'Publish?',
        options: [
          { label: 'approve', nextStep: 'done' },
          { label: 'no', nextStep: null },
        ],
      },
    },
    { id: 'done', handler: () => ({}), next: null },
  ],
});

/** Each route that changes something besides logins, with the command that does the same, and the scope that its right requires. */
const SAME_AS: Readonly<Record<string, readonly [command: string, scope: LoginScope, body?: object]>> = {
  'POST /api/v1/runs': ['run', 'operate', { workflow: 'daily' }],
  'POST /api/v1/runs/bulk': ['cancel, retry: asked for each run', 'operate', { action: 'cancel', ids: ['x'] }],
  'POST /api/v1/runs/:id/decide': ['decide', 'decide', { digest: 'a'.repeat(12), option: 'approve' }],
  'POST /api/v1/runs/:id/recheck': ['decide', 'decide', {}],
  'POST /api/v1/runs/:id/answer': ['answer', 'decide', { digest: 'x', answers: [] }],
  'POST /api/v1/runs/:id/signal': ["signal: another's run", 'decide', { name: 'x' }],
  'POST /api/v1/runs/:id/cancel': ["cancel: another's run", 'decide', {}],
  'POST /api/v1/runs/:id/pause': ["pause: another's run", 'decide', {}],
  'POST /api/v1/runs/:id/resume': ['resume --to', 'decide', { to: 'done' }],
  'POST /api/v1/runs/:id/retry': ['retry', 'decide', {}],
  'POST /api/v1/runs/:id/fork': ['fork --output', 'decide', { from: 'ask', outputs: { draft: {} } }],
  'POST /api/v1/schedules/:id/pause': ['schedules pause', 'decide', {}],
  'POST /api/v1/schedules/:id/resume': ['schedules resume', 'decide', {}],
  'POST /api/v1/schedules/:id/run': ['schedules run', 'operate', {}],
  'POST /api/v1/schedules/:id/backfill': ['schedules backfill', 'operate', { from: '2026-01-01', until: '2026-01-02' }],
  'POST /api/v1/deliveries/:id/resend': ['deliveries resend', 'decide', {}],
};
/** Routes about logins, which test/server/access-people.test.ts has. */
const ABOUT_LOGINS = /^\w+ (?:\/auth|\/d|\/hooks|\/api\/v1\/(?:people|tokens|sessions|passkeys|links|signatures))\b/;

test('the rights of a login are the same as on the command line, for every route that changes something', async () => {
  const rig = await AccessRig.open({ workflows: [DAILY, ASK] });
  onTestFinished(() => rig.close());
  const rows = PARTS.flatMap(({ routes }) => routes).filter(({ method }) => method !== 'GET');
  const named = rows.map(({ method, path }) => `${method} ${path}`).filter((key) => !ABOUT_LOGINS.test(key));
  expect(named.sort()).toEqual(Object.keys(SAME_AS).sort());
  const run = await rig.engine.start('publish', {}, { origin: { actor: 'somebody else' } });
  await run.wait('idle');
  const operating = rig.token('otto', ['operate']);
  const found: Record<string, unknown> = {};
  for (const [key, [command, , body]] of Object.entries(SAME_AS)) {
    const [method = '', path = ''] = key.split(' ');
    const to = path.replace(':id', path.includes('schedules') ? 'daily' : path.includes('deliveries') ? '1' : run.id);
    const code = await rig.code(method, to, { token: operating, body });
    found[`${key} as ${command}`] = code === 'NOT_ALLOWED' ? 'decide' : 'operate';
  }
  expect(found).toEqual(Object.fromEntries(Object.entries(SAME_AS).map(([key, [command, scope]]) => [`${key} as ${command}`, scope])));
});

const send = async (headers: Readonly<Record<string, string>>, { path = '/api/v1/runs/x/cancel', url = 'http://app.example' } = {}) => {
  const engine = await createEngine({ db: ':memory:' });
  const ann: Caller = { kind: 'person', name: 'ann', groups: [], scopes: new Set(['view', 'operate', 'decide']), via: 'session' };
  const server = openServer(engine, { publicUrl: 'https://pawl.example.com', identify: () => ann });
  const response = await server.fetch(new Request(`${url}${path}`, { method: 'POST', headers: { host: new URL(url).host, ...headers } }));
  const { code } = (await response.json()) as { code: string };
  await server.close();
  await engine.close();
  return code;
};

test.each([
  ['of another site', { origin: 'https://evil.example' }],
  ['without an origin', { origin: 'null' }],
  ['of another port', { origin: 'http://app.example:8080' }],
  ['that the browser calls cross-site', { 'sec-fetch-site': 'cross-site' }],
  ['that the browser calls same-site', { 'sec-fetch-site': 'same-site' }],
])(
  'a server in a program with its own logins accepts no change from a page %s, because the browser would send its cookie',
  async (_, headers) => {
    expect(await send(headers)).toBe('ORIGIN_REFUSED');
  },
);

test.each([
  ['a program', {}],
  ['a page of its own', { origin: 'http://app.example', 'sec-fetch-site': 'same-origin' }],
  ['a page of its public address', { origin: 'https://pawl.example.com', 'sec-fetch-site': 'same-origin' }],
])('a server in a program with its own logins accepts a change from %s', async (_, headers) => {
  expect(await send(headers)).toBe('RUN_NOT_FOUND');
});

test('a server in a program with its own logins accepts signed deliveries from anywhere, but no other requests', async () => {
  expect(await send({ origin: 'https://ci.example' }, { path: '/hooks/x' })).toBe('DELIVERY_REFUSED');
});

test.each([
  ['deleted', (file: string) => rmSync(file)],
  ['replaced', (file: string) => renameSync(file, `${file}.away`)],
])('after the database of the server was %s, no one can log in, because no one could be revoked', async (_, change) => {
  const rig = await AccessRig.open();
  onTestFinished(() => rig.close());
  const token = rig.token('bob');
  expect(await rig.code('GET', '/api/v1/session', { token })).toBe('ok');
  const file = join(rig.folder, 'runs.db.server');
  change(file);
  // As "pawl access revoke" does, in another process.
  const fresh = openServerDatabase(file, [ACCESS_TABLES]);
  expect(() => revokePerson({ database: fresh, now: Date.now }, 'bob')).toThrow(/bob/);
  fresh.close();
  expect(existsSync(file)).toBe(true);
  expect(await rig.code('GET', '/api/v1/session', { token })).toBe('STORE_GONE');
  expect(await rig.code('GET', '/readyz')).toBe('STORE_GONE');
  expect((await rig.send('GET', '/healthz')).status).toBe(200);
});

test('a port in use by another program is reported as such, and the server does not start', async () => {
  const [rig, engine] = [await AccessRig.open(), await createEngine({ db: ':memory:' })];
  onTestFinished(() => rig.close());
  const server = openServer(engine);
  await expect(server.listen({ port: rig.port })).rejects.toMatchObject({
    code: 'USAGE',
    message: expect.stringContaining(`another program listens on 127.0.0.1:${rig.port}`),
  });
  await server.close();
  await engine.close();
});

test('one person cannot use all streams', async () => {
  const rig = await AccessRig.open();
  onTestFinished(() => rig.close());
  const { streams } = rig.server.services;
  const [ann, bob] = ['ann', 'bob'].map(
    (name): Caller => ({ kind: 'person', name, groups: [], scopes: new Set(['view'] as const), via: 'token' }),
  ) as [Caller, Caller];
  for (let n = 0; n < 1500; n += 1) streams.ofAll(ann, undefined);
  expect(() => streams.ofAll({ ...ann, via: 'session' }, undefined)).toThrow(/ann has 1500 event streams open/);
  expect(streams.ofAll(bob, undefined).status).toBe(200);
  streams.end(() => true);
  expect(streams.ofAll(ann, undefined).status).toBe(200);
});
