import { afterAll, beforeAll, expect, test } from 'vitest';
import { LOGIN_SCOPES } from '../../src/authority/rights.ts';
import { addressesOf } from '../../src/server/access/addresses.ts';
import { FailedLogins } from '../../src/server/access/failed-logins.ts';
import { PARTS } from '../../src/server/app-server.ts';
import { AccessRig } from './access-rig.ts';

let rig: AccessRig;
let cookie: string;
beforeAll(async () => {
  rig = await AccessRig.open();
  cookie = await rig.login('ann');
});
afterAll(() => rig.close());

const codeOf = (act: () => unknown): string => {
  try {
    act();
    return 'ok';
  } catch (error) {
    return (error as { code: string }).code;
  }
};

test.each(['evil.example', 'localhost.evil.example', 'localhost', '127.0.0.1:1', 'pawl.example.com'])(
  'AC1: the name of the server is not %s',
  async (host) => {
    for (const path of ['/api/v1/runs', '/auth/login', '/']) {
      const reply = await rig.send('GET', path, { cookie, headers: { host, accept: 'text/html' } });
      expect([reply.status, reply.json().code]).toEqual([421, 'HOST_REFUSED']);
    }
  },
);

test('AC1: the name of the server is checked for every method, with and without a secret', async () => {
  for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
    for (const asked of [{ cookie }, { token: rig.token('bob', ['view', 'operate']) }, {}])
      expect((await rig.send(method, '/api/v1/runs', { ...asked, headers: { host: 'evil.example' } })).status).toBe(421);
});

test.each(['localhost', 'LOCALHOST', '127.0.0.1', '[::1]'])('AC1: the name of the server is %s with its port', async (name) => {
  expect(await rig.code('GET', '/api/v1/runs', { cookie, headers: { host: `${name}:${rig.port}` } })).toBe('ok');
});

test('AC1: the name of the server is not checked for a probe, which learns nothing', async () => {
  expect((await rig.send('GET', '/healthz', { headers: { host: '10.0.0.7' } })).status).toBe(200);
});

const change = (headers: Record<string, string>): Promise<string> =>
  rig.code('POST', '/api/v1/tokens', { cookie, headers: { 'x-pawl': '', ...headers }, body: { name: `t${Math.random()}` } });

test('AC2: a change by a browser is accepted from a page of the server', async () => {
  expect(await change({ origin: rig.url })).toBe('ok');
  expect(await change({ 'sec-fetch-site': 'same-origin' })).toBe('ok');
  expect(await change({ 'x-pawl': '1' })).toBe('ok');
  expect(await change({})).toBe('ORIGIN_REFUSED');
});

test.each([
  ['another site', { origin: 'https://evil.example', 'x-pawl': '1' }],
  ['another port of this machine', { origin: 'http://localhost:3000', 'x-pawl': '1' }],
  ['a page without an origin', { origin: 'null', 'x-pawl': '1' }],
  ['another site, by what the browser says', { 'sec-fetch-site': 'cross-site', 'x-pawl': '1' }],
  ['another port, by what the browser says', { 'sec-fetch-site': 'same-site', 'x-pawl': '1' }],
])('AC2: a change by a browser is not accepted from %s', async (_, headers) => {
  expect(await change(headers as Record<string, string>)).toBe('ORIGIN_REFUSED');
});

test('AC2: a page of another site cannot read the API', async () => {
  for (const site of ['cross-site', 'same-site'])
    expect(await rig.code('GET', '/api/v1/runs', { cookie, headers: { 'sec-fetch-site': site } })).toBe('ORIGIN_REFUSED');
});

test('a token needs no page, and gives the same access as a cookie', async () => {
  expect(await rig.code('GET', '/api/v1/runs', { token: rig.token('bob', ['view']) })).toBe('ok');
});

test('a token that is unknown is a failed login, even with a valid cookie', async () => {
  for (const authorization of ['Bearer pawlt_guess', `Bearer ${'x'.repeat(49)}`, 'Basic YW5uOmFubg==', 'Bearer'])
    expect(await rig.code('GET', '/api/v1/runs', { cookie, headers: { authorization } })).toBe('LOGIN_REQUIRED');
});

const routes = PARTS.flatMap((part) => part.routes).filter(({ scope }) => scope !== 'public');
test.each(routes.map((route) => [`${route.method} ${route.path}`, route] as const))(
  'a token without the scope does not reach %s, nor does a request without a login',
  async (_, { method, path, scope }) => {
    const to = path.replace(/:\w+/g, 'x').replace('*', 'x');
    expect(await rig.code(method, to, { headers: { 'x-pawl': '1' } })).toBe('LOGIN_REQUIRED');
    if (scope === 'view') return;
    const token =
      tokens.get(scope) ??
      rig.token(
        `only-${scope}`,
        LOGIN_SCOPES.filter((other) => other !== scope),
      );
    tokens.set(scope, token);
    const reply = await rig.send(method, to, { token });
    expect(reply.json()).toMatchObject({ status: 403, code: 'NOT_ALLOWED', details: { scope } });
  },
);
const tokens = new Map<string, string>();

test('a body of 10 MB is rejected, whether its size is declared or not', async () => {
  const body = JSON.stringify({ name: 'x'.repeat(10 * 1024 * 1024) });
  expect(await rig.code('POST', '/api/v1/tokens', { cookie, body })).toBe('VALUE_TOO_LARGE');
  const reply = await rig.send('POST', '/auth/link', {
    body,
    headers: { origin: rig.url, 'content-type': 'application/x-www-form-urlencoded' },
  });
  expect(reply.status).toBe(413);
});

test('every page has a strict policy: no inline code, nothing from other origins, no frames', async () => {
  for (const path of ['/auth/login', `/auth/link/${rig.link('ann')}`, '/d/nothing', '/auth/style.css', '/api/v1/runs']) {
    const { headers, text } = await rig.send('GET', path);
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("form-action 'self'");
    expect(policy).not.toContain('unsafe');
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['referrer-policy']).toBe('same-origin');
    expect(text).not.toMatch(/<script>|<style|\son\w+=|\sstyle=/);
  }
});

test('failed logins are slowed down per address; a valid secret is not affected', async () => {
  const other = await AccessRig.open();
  try {
    const [session, token] = [await other.login('ann'), other.token('ann')];
    const codes = [];
    for (let times = 0; times < 12; times += 1) codes.push(await other.code('GET', '/api/v1/runs', { token: `pawlt_${times}` }));
    expect(codes).toEqual([...new Array(10).fill('LOGIN_REQUIRED'), 'LOGIN_SLOWED', 'LOGIN_SLOWED']);
    const slowed = await other.send('GET', '/api/v1/runs', { token: 'pawlt_13' });
    expect([slowed.status, slowed.headers['retry-after']]).toEqual([429, '30']);
    expect((await other.form('/auth/link', { secret: 'pawll_guess' })).status).toBe(429);
    expect((await other.send('GET', '/d/pawll_guess')).status).toBe(429);
    expect(await other.code('GET', '/api/v1/runs', { cookie: session })).toBe('ok');
    expect(await other.code('GET', '/api/v1/runs', { token })).toBe('ok');
    other.wait(30_000);
    expect(await other.code('GET', '/api/v1/runs', { token: 'pawlt_14' })).toBe('LOGIN_REQUIRED');
  } finally {
    await other.close();
  }
});

test('failed logins are slowed down in total, and use bounded memory', () => {
  let now = 0;
  const failures = new FailedLogins(() => now);
  for (let address = 0; address < 20_000; address += 1) {
    failures.failed(`10.${address >> 16}.${(address >> 8) & 255}.${address & 255}`);
    now += 10;
  }
  expect(failures.size).toBe(10_000);
  expect(failures.waitMs('192.0.2.1')).toBeGreaterThan(0);
  now += 2000;
  expect(failures.waitMs('192.0.2.1')).toBe(0);
});

test('failed logins from one IPv6 network count together', () => {
  const failures = new FailedLogins(() => 0);
  for (let part = 0; part < 10; part += 1) failures.failed(`2001:db8:1:2::${part}`);
  expect(failures.waitMs('2001:db8:1:2:ffff::1')).toBeGreaterThan(0);
  expect(failures.waitMs('2001:db8:1:3::1')).toBe(0);
});

const at = { port: 7411, hasTls: false };

test.each(['0.0.0.0', '192.168.1.5', '::', 'pawl.example.com', '127.0.0.1.evil.example'])('%s needs TLS or a trusted proxy', (host) => {
  expect(codeOf(() => addressesOf({ ...at, host }))).toBe('NOT_ALLOWED');
  expect(codeOf(() => addressesOf({ ...at, host, publicUrl: 'https://pawl.example.com' }))).toBe('NOT_ALLOWED');
  expect(codeOf(() => addressesOf({ ...at, host, trustedProxy: ['10.0.0.1'] }))).toBe('NOT_ALLOWED');
  expect(codeOf(() => addressesOf({ ...at, host, publicUrl: 'https://pawl.example.com', trustedProxy: ['10.0.0.1'] }))).toBe('ok');
  expect(codeOf(() => addressesOf({ ...at, host, hasTls: true, publicUrl: 'https://pawl.example.com' }))).toBe('ok');
});

test('a loopback address needs neither, and its links use a host name that works with passkeys', () => {
  for (const host of ['127.0.0.1', 'localhost', '::1']) expect(addressesOf({ ...at, host }).baseUrl).toBe('http://localhost:7411');
});

test('the public URL must be an address, with https if other machines use it', () => {
  for (const publicUrl of ['pawl.example.com', 'https://pawl.example.com/path', 'https://ann@pawl.example.com', 'ftp://x'])
    expect(
      codeOf(() => addressesOf({ ...at, host: 'localhost', publicUrl })),
      publicUrl,
    ).toBe('CONFIG_INVALID');
  expect(codeOf(() => addressesOf({ ...at, host: 'localhost', publicUrl: 'http://pawl.example.com' }))).toBe('NOT_ALLOWED');
});

test('only a trusted proxy says where a request came from', () => {
  const { clientOf } = addressesOf({ ...at, host: 'localhost', trustedProxy: ['127.0.0.1', '10.0.0.0/8'] });
  expect(clientOf('127.0.0.1', '6.6.6.6, 192.0.2.9')).toBe('192.0.2.9');
  expect(clientOf('::ffff:127.0.0.1', '192.0.2.9, 10.1.2.3')).toBe('192.0.2.9');
  expect(clientOf('198.51.100.1', '192.0.2.9')).toBe('198.51.100.1');
  expect(clientOf('127.0.0.1', 'nonsense')).toBe('127.0.0.1');
});
