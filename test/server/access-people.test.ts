import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Hono } from 'hono';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { mountGuard } from '../../src/server/access/guard.ts';
import { revokePerson } from '../../src/server/access/people.ts';
import type { ServerApp } from '../../src/server/route.ts';
import { AccessRig, cookieIn } from './access-rig.ts';

let rig: AccessRig;
let boss: string;
beforeEach(async () => {
  rig = await AccessRig.open({ server: { groups: { maintainers: ['Bob', 'eve'] } } });
  rig.person('olga', { manages: true });
  boss = await rig.login('olga');
});
afterEach(() => rig.close());

interface Invited {
  readonly person: { readonly name: string; readonly groups: readonly string[]; readonly scopes: readonly string[] };
  readonly link: { readonly url: string };
}

const invite = async (name: string, more: object = {}): Promise<Invited> =>
  (await rig.send('POST', '/api/v1/people', { cookie: boss, body: { name, ...more } })).json<Invited>();
const secretIn = ({ link }: Invited): string => link.url.split('/').at(-1) ?? '';
const enter = async (name: string, more: object = {}): Promise<string> =>
  cookieIn(await rig.form('/auth/link', { secret: secretIn(await invite(name, more)) }));

test('a person is invited by a link, has the groups of the settings, and then adds a passkey', async () => {
  const invited = await invite('bob');
  expect(invited.person).toMatchObject({ name: 'bob', groups: ['maintainers'], scopes: ['view', 'operate', 'decide'] });
  expect(invited.link.url).toMatch(new RegExp(`^${rig.url}/auth/link/pawll_[\\w-]{43}$`));
  const reply = await rig.form('/auth/link', { secret: secretIn(invited) });
  expect([reply.status, reply.text]).toEqual([200, expect.stringContaining('data-next="/auth/register"')]);
  expect((await rig.send('GET', '/auth/register', { cookie: cookieIn(reply) })).text).toContain('logged in as <strong>bob</strong>');
});

test('a person has no more than the scopes of the invitation', async () => {
  const cookie = await enter('bob', { scopes: ['view'] });
  expect(await rig.code('GET', '/api/v1/runs', { cookie })).toBe('ok');
  expect(await rig.code('POST', '/api/v1/links', { cookie, body: { run: 'x', for: 'bob' } })).toBe('NOT_ALLOWED');
  expect(await rig.code('POST', '/api/v1/tokens', { cookie, body: { name: 'ci', scopes: ['decide'] } })).toBe('NOT_ALLOWED');
});

test('a person can invite and revoke others only if they manage people', async () => {
  const cookie = await enter('bob');
  expect(await rig.code('POST', '/api/v1/people', { cookie, body: { name: 'eve' } })).toBe('NOT_ALLOWED');
  expect(await rig.code('DELETE', '/api/v1/people/olga', { cookie })).toBe('NOT_ALLOWED');
  expect(await rig.code('POST', '/api/v1/people/olga/link', { cookie, body: {} })).toBe('NOT_ALLOWED');
  const token = rig.token('olga');
  expect(await rig.code('POST', '/api/v1/people', { token, body: { name: 'eve' } })).toBe('NOT_ALLOWED');
});

test('a person has a unique name, in any spelling', async () => {
  await invite('bob');
  for (const name of ['bob', 'BOB']) expect(await rig.code('POST', '/api/v1/people', { cookie: boss, body: { name } })).toBe('USAGE');
  for (const name of ['a b', '<b>', '\u202ebob'])
    expect(await rig.code('POST', '/api/v1/people', { cookie: boss, body: { name } })).toBe('USAGE');
});

test('a revoked person loses session, token and link immediately', async () => {
  const cookie = await enter('bob');
  const token = rig.token('bob');
  const secret = rig.link('bob');
  expect(await rig.code('DELETE', '/api/v1/people/bob', { cookie: boss })).toBe('ok');
  expect(await rig.code('GET', '/api/v1/runs', { cookie })).toBe('LOGIN_REQUIRED');
  expect(await rig.code('GET', '/api/v1/runs', { token })).toBe('LOGIN_REQUIRED');
  expect((await rig.form('/auth/link', { secret })).status).toBe(410);
  expect(await rig.code('POST', '/api/v1/people/bob/link', { cookie: boss, body: {} })).toBe('PERSON_UNKNOWN');
});

test('a person who is invited again does not regain the old logins', async () => {
  const cookie = await enter('bob');
  await rig.code('DELETE', '/api/v1/people/bob', { cookie: boss });
  await invite('bob');
  expect(await rig.code('GET', '/api/v1/runs', { cookie })).toBe('LOGIN_REQUIRED');
});

test('the session says who is logged in, and what they may do', async () => {
  const cookie = await enter('bob');
  expect((await rig.send('GET', '/api/v1/session', { cookie })).json()).toMatchObject({
    person: { name: 'bob', groups: ['maintainers'], manages: false },
    scopes: ['view', 'operate', 'decide'],
    project: { name: expect.any(String) },
    projects: [],
  });
});

test('AC4: a stream of the server ends on the wire when its person is revoked', async () => {
  const cookie = await enter('bob');
  const reply = rig.send('GET', '/api/v1/events', { cookie });
  await expect.poll(() => rig.access.streams.size).toBe(1);
  await rig.code('DELETE', '/api/v1/people/bob', { cookie: boss });
  expect((await reply).headers['content-type']).toContain('text/event-stream');
  expect(rig.server.services.streams.count).toBe(0);
});

/** An app with the guard and one stream, which sends the given messages. */
function streaming(): { readonly app: ServerApp; send(text: string): void } {
  const app: ServerApp = new Hono();
  mountGuard(app, rig.server.services);
  let source: ReadableStreamDefaultController<Uint8Array> | undefined;
  app.get('/api/v1/events', () => {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        source = controller;
      },
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  });
  return { app, send: (text) => source?.enqueue(new TextEncoder().encode(text)) };
}

const open = async (app: ServerApp, cookie: string): Promise<ReadableStreamDefaultReader<Uint8Array>> => {
  const response = await app.request(`${rig.url}/api/v1/events`, { headers: { cookie } });
  return (response.body as ReadableStream<Uint8Array>).getReader();
};

test('AC4: a stream ends immediately when its person is revoked through the server', async () => {
  const cookie = await enter('bob');
  const { app, send } = streaming();
  const reader = await open(app, cookie);
  send('data: 1\n\n');
  expect(new TextDecoder().decode((await reader.read()).value)).toBe('data: 1\n\n');
  await rig.code('DELETE', '/api/v1/people/bob', { cookie: boss });
  expect((await reader.read()).done).toBe(true);
  expect(rig.access.streams.size).toBe(0);
});

test('AC4: a stream sends nothing after another process revoked its person', async () => {
  const cookie = await enter('bob');
  const { app, send } = streaming();
  const reader = await open(app, cookie);
  revokePerson(rig.access, 'bob');
  send('data: secret\n\n');
  expect((await reader.read()).done).toBe(true);
});

test('a token is shown once and stored as a hash, in a file of its user only', async () => {
  const { secret } = (await rig.send('POST', '/api/v1/tokens', { cookie: boss, body: { name: 'ci' } })).json<{ secret: string }>();
  expect(secret).toMatch(/^pawlt_[\w-]{43}$/);
  const listed = await rig.send('GET', '/api/v1/tokens', { cookie: boss });
  expect(listed.json<{ tokens: readonly object[] }>().tokens).toMatchObject([{ name: 'ci', person: 'olga', scopes: ['view'] }]);
  expect(listed.text).not.toContain(secret);
  const file = join(rig.folder, 'runs.db.server');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  using database = new DatabaseSync(file, { readOnly: true });
  for (const table of ['tokens', 'sessions', 'links']) {
    const text = JSON.stringify(database.prepare(`SELECT * FROM ${table}`).all());
    expect(text).not.toMatch(/pawl[tsl]_[\w-]{43}/);
  }
});

test('a token creates no other token, manages no people, and loses the rights that its person loses', async () => {
  const token = rig.token('olga');
  expect(await rig.code('POST', '/api/v1/tokens', { token, body: { name: 'more' } })).toBe('NOT_ALLOWED');
  expect(await rig.code('POST', '/api/v1/passkeys/options', { token, body: {} })).toBe('NOT_ALLOWED');
  rig.token('bob');
  const { tokens } = (await rig.send('GET', '/api/v1/tokens', { token })).json<{ tokens: readonly { person: string }[] }>();
  expect(tokens.map(({ person }) => person)).toEqual(['olga']);
  rig.server.services.database.run("UPDATE people SET scopes = 'view' WHERE name = 'olga'");
  expect(await rig.code('POST', '/api/v1/links', { token, body: { run: 'x', for: 'olga' } })).toBe('NOT_ALLOWED');
});

test('a token expires, and is revoked by its person or by a person who manages people', async () => {
  const cookie = await enter('bob');
  const make = async (name: string): Promise<{ readonly id: string; readonly secret: string }> => {
    const made = (await rig.send('POST', '/api/v1/tokens', { cookie, body: { name, expires: '1h' } })).json<{
      readonly token: { readonly id: string };
      readonly secret: string;
    }>();
    return { id: made.token.id, secret: made.secret };
  };
  const [one, two, three] = [await make('one'), await make('two'), await make('three')];
  const eve = await enter('eve');
  expect(await rig.code('DELETE', `/api/v1/tokens/${one.id}`, { cookie: eve })).toBe('RESOURCE_UNKNOWN');
  expect(await rig.code('DELETE', `/api/v1/tokens/${one.id}`, { cookie })).toBe('ok');
  expect(await rig.code('DELETE', `/api/v1/tokens/${two.id}`, { cookie: boss })).toBe('ok');
  for (const { secret } of [one, two]) expect(await rig.code('GET', '/api/v1/runs', { token: secret })).toBe('LOGIN_REQUIRED');
  expect(await rig.code('GET', '/api/v1/runs', { token: three.secret })).toBe('ok');
  rig.wait(60 * 60 * 1000);
  expect(await rig.code('GET', '/api/v1/runs', { token: three.secret })).toBe('LOGIN_REQUIRED');
});

test('the audit says who did what, when and from where; others see their own lines', async () => {
  const cookie = await enter('bob');
  await rig.code('GET', '/api/v1/runs', { token: 'pawlt_guess' });
  await rig.code('POST', '/api/v1/people', { cookie, body: { name: 'eve' } });
  interface Audit {
    readonly entries: readonly Record<string, unknown>[];
    readonly next: string | null;
  }
  const all = (await rig.send('GET', '/api/v1/audit', { cookie: boss })).json<Audit>();
  expect(all.entries.map(({ person, action, about, via, outcome }) => [person, action, about, via, outcome])).toEqual([
    ['bob', 'invite', 'eve', 'session', 'NOT_ALLOWED'],
    [null, 'login', '', 'none', 'LOGIN_REQUIRED'],
    ['bob', 'login', '', 'link', 'ok'],
    ['olga', 'invite', 'bob', 'session', 'ok'],
    ['olga', 'login', '', 'link', 'ok'],
  ]);
  expect(all.entries[0]).toMatchObject({ address: '127.0.0.1', at: expect.stringMatching(/^\d{4}-/) });
  const first = (await rig.send('GET', '/api/v1/audit?limit=2', { cookie: boss })).json<Audit>();
  const rest = (await rig.send('GET', `/api/v1/audit?limit=9&cursor=${first.next}`, { cookie: boss })).json<Audit>();
  expect([...first.entries, ...rest.entries]).toEqual(all.entries);
  const own = (await rig.send('GET', '/api/v1/audit?person=olga', { cookie })).json<Audit>();
  expect(new Set(own.entries.map(({ person }) => person))).toEqual(new Set(['bob']));
});
