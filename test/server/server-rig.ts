// Owns a server for tests over HTTP: a real socket on loopback, an engine on a real file, and callers by name.

import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createEngine, type Engine } from '../../src/api/engine.ts';
import type { AnyWorkflow, EngineOptions } from '../../src/api/engine-options.ts';
import type { LoginScope } from '../../src/authority/rights.ts';
import { LOGIN_SCOPES } from '../../src/authority/rights.ts';
import { type OpenServer, type OpenServerOptions, openServer, PARTS } from '../../src/server/app-server.ts';
import type { Caller } from '../../src/server/caller.ts';
import { tempFolder } from '../temp-folder.ts';

/** A response with its JSON, checked against the shape of its route. */
export interface Answer<T = never> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: T;
}

/** Who asks: by default Ann, with every scope. */
interface Ask {
  readonly as?: string;
  readonly scopes?: readonly LoginScope[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** A server on loopback. */
export interface ServerRig {
  readonly engine: Engine;
  readonly server: OpenServer;
  readonly url: string;
  readonly db: string;
  get<T = Record<string, never>>(path: string, ask?: Ask): Promise<Answer<T>>;
  post<T = Record<string, never>>(path: string, body: object, ask?: Ask): Promise<Answer<T>>;
  raw(path: string, init?: RequestInit & Ask): Promise<Response>;
}

/** Opens a server that ends with the test. */
export async function openRig(
  workflows: readonly AnyWorkflow[],
  more: { readonly engine?: Partial<EngineOptions>; readonly server?: Partial<OpenServerOptions>; readonly db?: string } = {},
): Promise<ServerRig> {
  const db = more.db ?? join(tempFolder(), 'runs.db');
  const engine = await createEngine({ db, workflows, rights: 'checked', ...more.engine });
  const server = openServer(engine, { db, workflows, identify, ...more.server });
  const { url } = await server.listen({ port: 0 });
  onTestFinished(async () => {
    await server.close();
    await engine.close();
  });
  const raw: ServerRig['raw'] = (path, init = {}) => {
    const { as = 'ann', scopes = LOGIN_SCOPES, headers = {}, ...rest } = init;
    return fetch(`${url}${path}`, { ...rest, headers: { 'x-as': as, 'x-scopes': scopes.join(' '), ...(headers as object) } });
  };
  const json = async <T>(method: string, path: string, init: RequestInit & Ask): Promise<Answer<T>> => {
    const response = await raw(path, { method, ...init });
    const body = (await response.json()) as T;
    assertShape(method, path, { status: response.status, body });
    return { status: response.status, headers: response.headers, body };
  };
  return {
    ...{ engine, server, url, db, raw },
    get: (path, ask = {}) => json('GET', path, ask),
    post: (path, body, { headers, ...ask } = {}) =>
      json('POST', path, { ...ask, body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } }),
  };
}

/** The stand-in for a login: the name and the scopes are in headers. */
function identify({ headers }: Request): Caller | undefined {
  const name = headers.get('x-as');
  const scopes = new Set(LOGIN_SCOPES.filter((scope) => headers.get('x-scopes')?.includes(scope)));
  return name === null || name === '' ? undefined : { kind: 'person', name, groups: [], scopes, via: 'token' };
}

const ROUTES = PARTS.flatMap(({ routes }) => routes);

/** Throws if the JSON of a response has not exactly the shape that its route declares. */
function assertShape(method: string, path: string, { status, body }: { readonly status: number; readonly body: unknown }): void {
  if (status >= 400) return;
  const [bare = ''] = path.split('?');
  const isMeant = (pattern: string): boolean => new RegExp(`^${pattern.replace(/:\w+/g, '[^/]+')}$`).test(bare);
  const route = ROUTES.find((one) => one.method === method && isMeant(one.path));
  if (route?.answer === undefined) throw new Error(`${method} ${path} declares no shape`);
  const parsed = route.answer.parse(body);
  const [said, declared] = [sorted(body), sorted(parsed)];
  if (said !== declared) throw new Error(`${method} ${path} answers with fields that its shape does not have:\n${said}\n${declared}`);
}

function sorted(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
