import { request } from 'node:https';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openServer } from '../../src/server/app-server.ts';
import { AccessRig, cookieIn } from './access-rig.ts';
import { createCertificate } from './certificate.ts';

let rig: AccessRig;
beforeEach(async () => {
  rig = await AccessRig.open();
});
afterEach(() => rig.close());

const HTML = { accept: 'text/html' };
const DAY_MS = 24 * 60 * 60 * 1000;

test('without a login the API denies requests, and a page redirects to the login', async () => {
  expect(await rig.code('GET', '/api/v1/runs')).toBe('LOGIN_REQUIRED');
  const reply = await rig.send('GET', '/runs/x?tab=log', { headers: HTML });
  expect([reply.status, reply.headers.location]).toEqual([303, '/auth/login?next=%2Fruns%2Fx%3Ftab%3Dlog']);
  const page = await rig.send('GET', '/auth/login?next=%2Fruns%2Fx', { headers: HTML });
  expect(page.text).toContain('data-next="/runs/x"');
});

test('a link from another site leads to a page of the server first, which then sends the cookie', async () => {
  const reply = await rig.send('GET', '/runs/x', { headers: { ...HTML, 'sec-fetch-site': 'cross-site' } });
  expect([reply.status, reply.text]).toEqual([200, expect.stringContaining('http-equiv="refresh"')]);
});

test('after the login only a page of this server is opened', async () => {
  for (const next of ['//evil.example', '/\\evil.example', 'https://evil.example', 'javascript:alert(1)'])
    expect((await rig.send('GET', `/auth/login?next=${encodeURIComponent(next)}`)).text).toContain('data-next="/"');
});

test('a one-time link is not used up by opening it, as bots do', async () => {
  const secret = rig.link('ann');
  for (const method of ['GET', 'HEAD', 'GET']) {
    const reply = await rig.send(method, `/auth/link/${secret}`);
    expect([reply.status, reply.headers['set-cookie']]).toEqual([200, undefined]);
  }
  expect(cookieIn(await rig.form('/auth/link', { secret }))).toMatch(/^pawl_\d+=pawls_[\w-]{43}$/);
});

test('a one-time link logs in once', async () => {
  const secret = rig.link('ann');
  const first = await rig.form('/auth/link', { secret });
  expect([first.status, first.text]).toEqual([200, expect.stringContaining('data-next="/"')]);
  expect(await rig.code('GET', '/api/v1/runs', { cookie: cookieIn(first) })).toBe('ok');
  const again = await rig.form('/auth/link', { secret });
  expect([again.status, again.headers['set-cookie']]).toEqual([410, undefined]);
  expect(again.text).toContain('this link was used on');
  expect((await rig.send('GET', `/auth/link/${secret}`)).status).toBe(410);
});

test('a one-time link expires', async () => {
  const secret = rig.link('ann', 60_000);
  rig.wait(60_000);
  const reply = await rig.form('/auth/link', { secret });
  expect([reply.status, reply.headers['set-cookie'], reply.text]).toEqual([410, undefined, expect.stringContaining('expired on')]);
});

test('a one-time link logs in only one of two concurrent requests', async () => {
  const secret = rig.link('ann');
  const replies = await Promise.all([rig.form('/auth/link', { secret }), rig.form('/auth/link', { secret })]);
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 410]);
});

test('a one-time link is not accepted from a page of another site', async () => {
  const secret = rig.link('ann');
  const reply = await rig.form('/auth/link', { secret }, { headers: { origin: 'https://evil.example' } });
  expect(reply.json()).toMatchObject({ status: 403, code: 'ORIGIN_REFUSED' });
  expect((await rig.form('/auth/link', { secret })).status).toBe(200);
});

test('the session cookie is for this server only, and scripts cannot read it', async () => {
  const [cookie] = [(await rig.form('/auth/link', { secret: rig.link('ann') })).headers['set-cookie']].flat();
  expect(cookie).toMatch(/; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Strict$/);
  expect(cookie).not.toContain('Secure');
});

test('the session cookie is sent only over TLS if people use TLS', async () => {
  await using open = await tlsRig();
  const { port } = open.rig;
  const asked = { headers: { host: 'pawl.example.com', origin: 'https://pawl.example.com' } };
  const reply = await open.rig.form('/auth/link', { secret: open.rig.link('ann') }, asked);
  const [cookie] = [reply.headers['set-cookie']].flat();
  expect(cookie).toMatch(/^__Host-pawl=.*; Path=\/; HttpOnly; Secure; SameSite=Strict$/);
  expect(port).toBeGreaterThan(0);
});

test('the cookie of an ended session is invalid', async () => {
  const cookie = await rig.login('ann');
  for (let day = 0; day < 29; day += 1) {
    rig.wait(DAY_MS);
    expect(await rig.code('GET', '/api/v1/runs', { cookie })).toBe('ok');
  }
  rig.wait(DAY_MS);
  expect(await rig.code('GET', '/api/v1/runs', { cookie })).toBe('LOGIN_REQUIRED');
});

test('the session cookie ends after a week without a request', async () => {
  const cookie = await rig.login('ann');
  rig.wait(7 * DAY_MS);
  expect(await rig.code('GET', '/api/v1/runs', { cookie })).toBe('LOGIN_REQUIRED');
});

test('the session cookie is removed by logging out', async () => {
  const cookie = await rig.login('ann');
  const reply = await rig.form('/auth/logout', {}, { cookie });
  expect([reply.status, String(reply.headers['set-cookie'])]).toEqual([303, expect.stringContaining('Max-Age=0')]);
  expect(await rig.code('GET', '/api/v1/runs', { cookie })).toBe('LOGIN_REQUIRED');
});

test('sessions are listed to their person, and revoked one by one', async () => {
  const [laptop, phone, other] = [await rig.login('ann'), await rig.login('ann'), await rig.login('bob')];
  interface Sessions {
    readonly sessions: readonly { readonly id: string; readonly person: string; readonly isMine: boolean }[];
  }
  const { sessions } = (await rig.send('GET', '/api/v1/sessions', { cookie: laptop })).json<Sessions>();
  expect(sessions.map(({ person }) => person)).toEqual(['ann', 'ann']);
  const theirs = sessions.find(({ isMine }) => !isMine)?.id ?? '';
  expect(await rig.code('DELETE', `/api/v1/sessions/${theirs}`, { cookie: other })).toBe('RESOURCE_UNKNOWN');
  expect(await rig.code('DELETE', `/api/v1/sessions/${theirs}`, { cookie: laptop })).toBe('ok');
  expect(await rig.code('GET', '/api/v1/runs', { cookie: phone })).toBe('LOGIN_REQUIRED');
  expect(await rig.code('GET', '/api/v1/runs', { cookie: laptop })).toBe('ok');
});

async function tlsRig(): Promise<{ readonly rig: AccessRig; [Symbol.asyncDispose](): Promise<void> }> {
  const server = { publicUrl: 'https://pawl.example.com', trustedProxy: ['127.0.0.1'] };
  const opened = await AccessRig.open({ server });
  return { rig: opened, [Symbol.asyncDispose]: () => opened.close() };
}

test('with a certificate the server speaks TLS, and its cookie demands it', async () => {
  const { cert, key } = createCertificate();
  await using server = openServer(rig.engine);
  const { url, port } = await server.listen({ port: 0, tls: { cert, key } });
  expect(url).toBe(`https://localhost:${port}`);
  const secret = server.loginLink('ann').split('/').at(-1) ?? '';
  const headers = { origin: url, 'content-type': 'application/x-www-form-urlencoded' };
  const cookie = await new Promise<string>((resolve, reject) => {
    const sent = request({ host: 'localhost', port, method: 'POST', path: '/auth/link', headers, ca: cert, agent: false }, (response) => {
      response.resume();
      resolve(String(response.headers['set-cookie']));
    });
    sent.on('error', reject).end(new URLSearchParams({ secret }).toString());
  });
  // Cookies belong to a host, whatever its ports: a login to one server must not end that to another.
  expect(cookie).toMatch(new RegExp(`^__Host-pawl_${port}=.*Secure; SameSite=Strict$`));
});
