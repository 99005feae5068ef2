import { expect, test } from 'vitest';
import { createEngine } from '../api/engine.ts';
import { LOGIN_SCOPES } from '../authority/rights.ts';
import { type OpenServer, openServer, PARTS } from './app-server.ts';
import type { Caller } from './caller.ts';

const rows = PARTS.flatMap(({ routes }) => routes);
const keyOf = ({ method, path }: { readonly method: string; readonly path: string }): string => `${method} ${path}`;

/** A server in memory whose caller is the name in the header `as`, with the scopes in the header `with`. */
async function open(): Promise<OpenServer> {
  const engine = await createEngine({ db: ':memory:' });
  const server = openServer(engine, {
    identify: ({ headers }): Caller | undefined => {
      const name = headers.get('as');
      const scopes = new Set(LOGIN_SCOPES.filter((scope) => headers.get('with')?.includes(scope)));
      return name === null ? undefined : { kind: 'person', name, groups: [], scopes, via: 'token' };
    },
  });
  server.services.onClose(() => engine.close());
  return server;
}

test('the table of routes has a row for every mounted route, and every row is mounted', async () => {
  await using server = await open();
  const mounted = server.app.routes.filter(({ method }) => method !== 'ALL').map(keyOf);
  expect([...new Set(mounted)].sort()).toEqual(rows.map(keyOf).sort());
});

test('the table of routes mounts only middleware for every method', async () => {
  await using server = await open();
  expect(new Set(server.app.routes.filter(({ method }) => method === 'ALL').map(({ path }) => path))).toEqual(new Set(['/*']));
});

test('the table of routes lists every route once', () => {
  expect(new Set(rows.map(keyOf)).size).toBe(rows.length);
});

test.each(rows.filter(({ scope }) => scope !== 'public').map((row) => [keyOf(row), row] as const))(
  'SV1: %s needs a login, and its scope',
  async (_, { method, path, scope }) => {
    await using server = await open();
    const ask = (headers: Record<string, string>): Promise<Response> =>
      Promise.resolve(server.fetch(new Request(`http://127.0.0.1${path.replace(/:\w+/g, 'x')}`, { method, headers })));
    const problemOf = async (response: Response): Promise<unknown> => ({
      status: response.status,
      ...((await response.json()) as object),
    });
    expect(await problemOf(await ask({}))).toMatchObject({ status: 401, code: 'LOGIN_REQUIRED' });
    const others = LOGIN_SCOPES.filter((other) => other !== scope).join(' ');
    expect(await problemOf(await ask({ as: 'ann', with: others }))).toMatchObject({
      status: 403,
      code: 'NOT_ALLOWED',
      details: { scope },
    });
  },
);

test('SV1: a route that no part declares is denied to every caller', async () => {
  await using server = await open();
  server.app.put('/api/v1/undeclared', (c) => c.text('reached'));
  const headers = { as: 'ann', with: 'view operate decide' };
  const response = await server.fetch(new Request('http://127.0.0.1/api/v1/undeclared', { method: 'PUT', headers }));
  expect(response.status).toBe(403);
});

const send = async (server: OpenServer, method: string, path: string): Promise<Response> =>
  server.fetch(new Request(`http://127.0.0.1${path}`, { method, headers: { as: 'ann', with: 'view operate decide' } }));

test('an unknown path is ROUTE_UNKNOWN, an unsupported method METHOD_REFUSED', async () => {
  await using server = await open();
  const unknown = await send(server, 'POST', '/api/v1/nothing');
  expect(unknown.headers.get('content-type')).toBe('application/problem+json');
  expect(await unknown.json()).toMatchObject({ status: 404, code: 'ROUTE_UNKNOWN', retry: 'never' });
  const refused = await send(server, 'DELETE', '/api/v1/runs');
  expect(await refused.json()).toMatchObject({ status: 405, code: 'METHOD_REFUSED' });
  expect(refused.headers.get('allow')).toContain('GET, HEAD');
});

test('HEAD answers as GET without a body, OPTIONS with the methods and nothing for other sites', async () => {
  await using server = await open();
  const head = await send(server, 'HEAD', '/api/v1/runs');
  expect([head.status, await head.text()]).toEqual([200, '']);
  const options = await send(server, 'OPTIONS', '/api/v1/runs');
  expect([options.status, options.headers.get('allow')]).toEqual([204, expect.stringContaining('GET, HEAD')]);
  expect([...options.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
});

test('every response has a strict policy, failures too', async () => {
  await using server = await open();
  for (const path of ['/healthz', '/api/v1/runs', '/nothing']) {
    const { headers } = await send(server, 'GET', path);
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.get('content-security-policy')).not.toContain('unsafe');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('cache-control')).toBe('no-store');
  }
});
