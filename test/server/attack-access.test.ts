// Attacks on logins, links and rights, as they are on the wire.

import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { recordAudit } from '../../src/server/access/audit.ts';
import { FailedLogins } from '../../src/server/access/failed-logins.ts';
import { PARTS } from '../../src/server/app-server.ts';
import { AccessRig, pageIn } from './access-rig.ts';

let rig: AccessRig;
beforeAll(async () => {
  rig = await AccessRig.open();
});
afterAll(() => rig.close());

/** Sends raw bytes, and returns the response until the server closes the connection. */
function sendRaw(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    const socket = connect(rig.port, '127.0.0.1', () => socket.write(text));
    socket.setEncoding('latin1').on('data', (part: string) => {
      said += part;
    });
    socket.on('close', () => resolve(said)).on('error', reject);
  });
}

test('a link for one decision can be created for oneself; only people who manage people can create it for others', async () => {
  const { id } = await rig.parked();
  rig.person('ann');
  rig.person('max', { manages: true });
  const cookie = await rig.login('olga');
  const refused = await rig.send('POST', '/api/v1/links', { cookie, body: { run: id, for: 'ann' } });
  expect([refused.status, refused.json().detail]).toEqual([403, expect.stringContaining('cannot manage people')]);
  expect(await rig.code('POST', '/api/v1/links', { cookie, body: { run: id, for: 'olga' } })).toBe('ok');
  expect(await rig.code('POST', '/api/v1/links', { cookie: await rig.login('max'), body: { run: id, for: 'ann' } })).toBe('ok');
});

test('a link for one decision is recorded in the audit without its secret', async () => {
  const { id, digest } = await rig.parked();
  const cookie = await rig.login('olga');
  const { url } = (await rig.send('POST', '/api/v1/links', { cookie, body: { run: id, for: 'olga' } })).json<{ url: string }>();
  const path = url.slice(rig.url.length);
  await rig.form(path, { option: 'approve', digest: '00' }, { cookie });
  await rig.send('POST', `${path}/sign`, { cookie, body: { digest, option: 'approve', input: '' } });
  const { entries } = (await rig.send('GET', '/api/v1/audit', { cookie })).json<{ entries: { about: string }[] }>();
  expect(entries.filter(({ about }) => about.startsWith('/d/')).map(({ about }) => about)).toEqual(['/d/pawll_…/sign', '/d/pawll_…']);
  expect(JSON.stringify(entries)).not.toContain(path.slice('/d/'.length));
});

test('failed logins of others do not lock out anyone with a valid secret: a page of another site can make a browser send them', async () => {
  const [token, link] = [rig.token('ann'), rig.link('ann')];
  const guess = { headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'image' } };
  const statuses = [];
  for (let times = 0; times < 12; times += 1) statuses.push((await rig.send('GET', `/auth/link/pawll_${'a'.repeat(43)}`, guess)).status);
  expect(statuses.at(-1)).toBe(429);
  expect(await rig.code('GET', '/api/v1/runs', { token })).toBe('ok');
  expect(await rig.code('GET', '/api/v1/runs', { token: `pawlt_${'a'.repeat(43)}` })).toBe('LOGIN_SLOWED');
  expect((await rig.form('/auth/link', { secret: link })).status).toBe(200);
  rig.wait(600_000);
});

test('failed logins of others lock no one out when the clock is set back', () => {
  let now = 10_000_000;
  const failures = new FailedLogins(() => now);
  failures.failed('192.0.2.1');
  now -= 3_600_000;
  expect(failures.waitMs('192.0.2.1')).toBe(0);
  for (let times = 0; times < 10; times += 1) failures.failed('192.0.2.1');
  expect(failures.waitMs('192.0.2.1')).toBe(30_000);
});

test('failed logins of others do not displace the actions of people from the audit', () => {
  const { database } = rig.access;
  const olgas = (): unknown => database.get("SELECT count(*) AS n FROM audit WHERE person = 'olga'")?.n;
  const before = olgas();
  expect(before).toBeGreaterThan(0);
  database.transaction(() => {
    for (let id = 188_000; id < 200_000; id += 1)
      database.run("INSERT INTO audit (id, at, via, action, about, address, outcome) VALUES (?, 0, 'none', 'login', '', '', 'x')", id);
  });
  // The table is trimmed with every thousandth line.
  recordAudit(rig.access, { person: null, via: 'none', action: 'login', about: '', address: '192.0.2.77', outcome: 'x' });
  expect(database.get('SELECT count(*) AS n FROM audit WHERE person IS NULL')?.n).toBe(10_000);
  expect(olgas()).toBe(before);
});

test('challenges to log in, which anyone can request, do not displace challenges for decisions', async () => {
  const { database, now } = rig.access;
  const insert = 'INSERT INTO challenges (challenge, kind, person, about, expires_at) VALUES (?, ?, ?, ?, ?)';
  database.run(insert, 'signing', 'sign', 'ann', '{}', now() + 1000);
  database.transaction(() => {
    for (let n = 0; n < 10_050; n += 1) database.run(insert, `c${n}`, 'login', null, '{}', now() + 300_000);
  });
  expect((await rig.send('POST', '/auth/passkey/options', { headers: { 'x-pawl': '1' }, body: {} })).status).toBe(200);
  expect(database.get("SELECT count(*) AS n FROM challenges WHERE kind = 'login'")?.n).toBe(10_001);
  expect(database.get("SELECT 1 AS n FROM challenges WHERE challenge = 'signing'")?.n).toBe(1);
});

test.each([
  ['names another server in its first line', (host: string) => `GET http://evil.example/api/v1/session HTTP/1.1\r\nHost: ${host}`],
  ['has two Host headers', (host: string) => `GET /api/v1/session HTTP/1.1\r\nHost: ${host}\r\nHost: evil.example`],
  ['has the wrong one first', (host: string) => `GET /api/v1/session HTTP/1.1\r\nHost: evil.example\r\nHost: ${host}`],
  ['names ours in its first line only', (host: string) => `GET http://${host}/api/v1/session HTTP/1.1\r\nHost: evil.example`],
  ['has a dot at its end', (host: string) => `GET /api/v1/session HTTP/1.1\r\nHost: ${host.replace(':', '.:')}`],
  ['hides behind a forwarded name', (host: string) => `GET /api/v1/session HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: ${host}`],
  ['asks for another protocol', () => 'GET /api/v1/events HTTP/1.1\r\nHost: evil.example\r\nUpgrade: websocket'],
])('the name that a request is sent to is rejected if it %s', async (_, head) => {
  const said = await sendRaw(`${head(`localhost:${rig.port}`)}\r\nAuthorization: Bearer ${rig.token('ann')}\r\nConnection: close\r\n\r\n`);
  expect(said.split('\r\n')[0]).toBe('HTTP/1.1 421 Misdirected Request');
});

test('the name that a request is sent to is accepted in the request line if it names the server', async () => {
  const host = `localhost:${rig.port}`;
  const said = await sendRaw(`GET http://${host}/healthz HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  expect(said.split('\r\n')[0]).toBe('HTTP/1.1 200 OK');
});

test('the name that a request is sent to never leads to another site: the page that asks to continue stays on the server', async () => {
  const headers = { accept: 'text/html', 'sec-fetch-site': 'cross-site' };
  const { status, text } = await rig.send('GET', '//evil.example/%0d', { headers });
  expect([status, text]).toEqual([200, expect.not.stringContaining('evil.example')]);
  expect((await rig.send('GET', '/runs?status=failed', { headers })).text).toContain('href="/runs?status=failed"');
});

test('AC6: the cookie of a session, which a browser sends to every port of the machine, cannot change anything without the secret of the pages', async () => {
  const { id, digest } = await rig.parked();
  const [cookie, other] = [await rig.login('ann'), await rig.login('ann')];
  const page = pageIn(await rig.form('/auth/link', { secret: rig.link('ann') }));
  const decision = { digest, option: 'approve' };
  for (const given of ['', 'pawlp_x', page, cookie.replace(/.*pawls_/, 'pawlp_')]) {
    const headers = { 'x-pawl-page': given };
    expect(await rig.code('POST', `/api/v1/runs/${id}/decide`, { cookie, headers, body: decision })).toBe('LOGIN_REQUIRED');
    expect(await rig.code('POST', `/api/v1/runs/${id}/cancel`, { cookie, headers, body: {} })).toBe('LOGIN_REQUIRED');
    expect(await rig.code('POST', '/api/v1/tokens', { cookie, headers, body: { name: 'mine' } })).toBe('LOGIN_REQUIRED');
    expect(await rig.code('POST', '/api/v1/passkeys/options', { cookie, headers, body: {} })).toBe('LOGIN_REQUIRED');
    expect(await rig.code('DELETE', '/api/v1/people/ann', { cookie, headers })).toBe('LOGIN_REQUIRED');
  }
  expect(await rig.code('GET', '/api/v1/session', { cookie, headers: { 'x-pawl-page': '' } })).toBe('ok');
  expect((await rig.send('GET', '/api/v1/sessions', { cookie })).text).not.toContain('pawlp_');
  expect(await rig.code('POST', `/api/v1/runs/${id}/decide`, { cookie: other, body: decision })).toBe('ok');
});

test('a stream that is requested with HEAD does not stay open', async () => {
  const { streams } = rig.server.services;
  const before = streams.count;
  const token = rig.token('ann');
  const { id } = await rig.parked();
  for (const path of ['/api/v1/events', `/api/v1/runs/${id}/events`]) {
    const head = await rig.send('HEAD', path, { token });
    expect([head.status, head.headers['content-type']]).toEqual([200, 'text/event-stream']);
  }
  await expect.poll(() => streams.count).toBe(before);
  expect(rig.access.streams.size).toBe(0);
});

/** Add a route that needs no login here. */
const PUBLIC = [
  ...['GET /auth/login', 'GET /auth/link/:secret', 'POST /auth/link', 'POST /auth/passkey/options', 'POST /auth/passkey'],
  ...['POST /auth/logout', 'GET /auth/style.css', 'GET /auth/script.js', 'GET /d/:secret', 'POST /d/:secret', 'POST /d/:secret/sign'],
  ...['GET /api/v1/openapi.json', 'POST /hooks/:name', 'GET /metrics', 'GET /healthz', 'GET /readyz', 'GET /assets/*'],
];
const ROWS = PARTS.flatMap(({ routes }) => routes);

test('every route needs a login, except those that are listed here', () => {
  const open = ROWS.filter(({ scope }) => scope === 'public').map(({ method, path }) => `${method} ${path}`);
  expect(open.sort()).toEqual([...PUBLIC].sort());
});

test('every route rejects a secret that has expired, was revoked, or belongs to another person', async () => {
  const other = await AccessRig.open();
  const ended = rig.token('gone');
  const late = rig.token('late');
  rig.access.database.run("UPDATE tokens SET expires_at = 1 WHERE person = 'late'");
  const [cookie, session] = [await rig.login('gone'), await rig.login('late')];
  rig.access.database.run("UPDATE sessions SET expires_at = 1 WHERE person = 'late'");
  expect(await rig.code('DELETE', '/api/v1/people/gone', { cookie: await rig.login('max') })).toBe('ok');
  const asks = [
    { token: ended },
    { token: late },
    { token: other.token('ann') },
    { cookie },
    { cookie: session },
    { cookie: (await other.login('ann')).replace(/\d+=/, `${rig.port}=`) },
    { cookie: `pawl_${rig.port}=pawls_${'a'.repeat(43)}` },
    {},
  ];
  for (const { method, path, scope } of ROWS) {
    if (scope === 'public') continue;
    const to = path.replace(/:\w+/g, 'x').replace('*', '');
    const codes = await Promise.all(asks.map((ask) => rig.code(method, to, { headers: { 'x-pawl': '1' }, ...ask })));
    expect([path, ...codes]).toEqual([path, ...asks.map(() => 'LOGIN_REQUIRED')]);
    // Failed logins are slowed.
    rig.wait(120_000);
  }
  await other.close();
});
