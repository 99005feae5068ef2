// Owns the GitHub of the tests: an HTTP server on this machine with the API of one repository and its git, real git
// over smart HTTP. Every request and response is held against GitHub's own description; what does not fit is a fault
// that the test fails with. Limits and failures can be set.

import { spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import { APP } from './check-handlers.ts';
import { completeResponse, type Data, type Matched, matchOperation, requestFaults } from './description.ts';
import { type ApiResponse, apiError } from './exchange.ts';
import { answerGraphql } from './graphql.ts';
import { HANDLERS } from './handlers.ts';
import { GitHubState, NAME, OWNER } from './state.ts';

/** A failure that the server shows to matching requests. */
export interface Fault {
  /** `POST /repos/octo/project/issues`, or a part of it. */
  readonly on: string;
  readonly status: number;
  /** Whether the request is carried out before the failure is sent. */
  readonly after?: boolean;
  /** How often; once by default. */
  times?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly message?: string;
  /** The type of an error of the GraphQL API, which answers 200. */
  readonly type?: string;
  /** Closes the connection without an answer. */
  readonly hangsUp?: boolean;
}

/** A running server. */
export interface GitHubServer {
  readonly url: string;
  readonly state: GitHubState;
  /** `GET /repos/octo/project 200`, in order. */
  readonly log: string[];
  /** Differences from GitHub's description. */
  readonly violations: string[];
  readonly faults: Fault[];
  /** Until when, in milliseconds, the primary limit is used up. */
  limitedUntil: number;
  /** The next request like this is carried out and never answered. */
  holdNext: string | undefined;
  /** Where GitHub moved something, by the beginning of its path: `/repos/octo/project/issues/1` to `/repositories/2/issues/9`. */
  readonly moved: Map<string, string>;
  /** Something that happens right before the next request like this is carried out. */
  beforeNext: { readonly on: string; work(): Promise<void> } | undefined;
  /** The same before the next call of git like this. */
  beforeGit: { readonly on: string; work(): void } | undefined;
  close(): Promise<void>;
}

/** The version of the API that the driver is written for. */
const API_VERSION = '2022-11-28';

/** The token of the login `pawl-user`. */
export const TOKEN = 'github_pat_test';
export const LOGIN = 'pawl-user';

/** Starts the server for a bare repository in a folder `octo/project.git`. */
export async function startGitHub(repository: string): Promise<GitHubServer> {
  const state = new GitHubState(repository);
  state.tokens.set(TOKEN, LOGIN);
  state.accounts.set(`${APP.slug}[bot]`, { permission: 'write', bot: true });
  const root = dirname(dirname(repository));
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    const work =
      path === '/api/graphql'
        ? serveGraphql(hub, request, response)
        : path.startsWith('/api/v3/')
          ? serveApi(hub, request, response)
          : serveGit(hub, { root, request, response });
    work.catch((error: unknown) => {
      hub.violations.push(String(error instanceof Error ? error.stack : error));
      response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const hub: GitHubServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{
      state,
      log: [],
      violations: [],
      faults: [],
      moved: new Map(),
      limitedUntil: 0,
      holdNext: undefined,
      beforeNext: undefined,
      beforeGit: undefined,
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return hub;
}

interface Call {
  readonly line: string;
  readonly url: URL;
  readonly matched: Matched;
  readonly body: Data;
  readonly authorization: string;
}

async function serveApi(hub: GitHubServer, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', hub.url);
  const asked = url.pathname.slice('/api/v3'.length);
  response.setHeader('date', new Date(Date.now() + hub.state.aheadMs).toUTCString());
  const sent = await text(request);
  if (request.headers['x-github-api-version'] !== API_VERSION)
    hub.violations.push(`${request.method} ${asked} names no version of the API`);
  if (redirect(hub, { request, response, asked, search: url.search })) return;
  const path = asked.replace(/^\/repositories\/1(?=\/|$)/, `/repos/${OWNER}/${NAME}`);
  const line = `${request.method} ${decodeURIComponent(path)}`;
  const body = sent === '' ? undefined : (JSON.parse(sent) as Data);
  const matched = matchOperation(request.method ?? 'GET', path);
  if (matched === undefined) throw new Error(`GitHub's description has no operation for ${line}; add it to scripts/github-description.js`);
  hub.violations.push(...requestFaults(matched, url.searchParams, body));
  const call = { line, url, matched, body: body ?? {}, authorization: request.headers.authorization ?? '' };
  const { beforeNext } = hub;
  if (beforeNext !== undefined && line.includes(beforeNext.on)) {
    hub.beforeNext = undefined;
    await beforeNext.work();
  }
  const fault = takeFault(hub, line);
  let answer = fault !== undefined && fault.after !== true ? undefined : await answerCall(hub, call);
  if (fault !== undefined) {
    hub.log.push(`${line} ${fault.hangsUp === true ? 'hung up' : fault.status}`);
    if (fault.hangsUp === true) return void response.destroy();
    answer = apiError(fault.status, fault.message ?? 'Server Error');
    return send(response, { ...answer, headers: fault.headers ?? {} });
  }
  if (answer === undefined) throw new Error('there is no answer');
  if (hub.holdNext === line) {
    hub.holdNext = undefined;
    return;
  }
  const completed = completeResponse(matched, { status: answer.status, data: answer.data });
  hub.violations.push(...completed.faults.map((fault) => `${line}: ${fault}`));
  const page = pageOf(url, { ...answer, data: completed.data });
  const etag = `"${createHash('sha256')
    .update(JSON.stringify(page.data ?? null))
    .digest('hex')
    .slice(0, 32)}"`;
  const isSame = request.method === 'GET' && answer.status === 200 && request.headers['if-none-match'] === etag;
  hub.log.push(`${line} ${isSame ? 304 : answer.status}`);
  const limited = hub.limitedUntil > Date.now();
  const limit = {
    'x-ratelimit-limit': '5000',
    'x-ratelimit-remaining': limited ? '0' : '4999',
    'x-ratelimit-reset': String(Math.ceil(hub.limitedUntil / 1000)),
  };
  const headers = { ...(request.method === 'GET' && answer.status === 200 ? { etag } : {}), ...page.headers, ...limit };
  send(response, isSame ? { status: 304, headers } : { status: answer.status, data: page.data, headers });
}

interface Asked {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly asked: string;
  readonly search: string;
}

/** Answers with the place to which something was moved, as GitHub does: 301 to reads, 307 to everything else. */
function redirect(hub: GitHubServer, { request, response, asked, search }: Asked): boolean {
  const found = [...hub.moved].find(([from]) => asked === from || asked.startsWith(`${from}/`));
  if (found === undefined) return false;
  const [from, to] = found;
  const status = request.method === 'GET' ? 301 : 307;
  const location = `${hub.url}/api/v3${to}${asked.slice(from.length)}${search}`;
  hub.log.push(`${request.method} ${asked} ${status}`);
  send(response, { status, data: { message: 'Moved Permanently', url: location }, headers: { location } });
  return true;
}

async function serveGraphql(hub: GitHubServer, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { query, variables } = JSON.parse(await text(request)) as { query: string; variables: Data };
  const actor = hub.state.tokens.get((request.headers.authorization ?? '').replace(/^(token|bearer) /i, ''));
  const line = `POST /graphql ${/(?:query|mutation) (\w+)/.exec(query)?.[1]}`;
  const fault = takeFault(hub, line);
  const answer =
    fault?.status === 200
      ? { data: null, errors: [{ message: fault.message, ...(fault.type === undefined ? {} : { type: fault.type }) }] }
      : fault !== undefined && fault.after !== true
        ? {}
        : answerGraphql(hub.state, { actor, query, variables });
  hub.log.push(`${line} ${fault?.status ?? 200}`);
  if (fault?.hangsUp === true) return void response.destroy();
  if (actor === undefined) return send(response, { ...apiError(401, 'Bad credentials'), headers: {} });
  send(
    response,
    fault === undefined || fault.status === 200
      ? { status: 200, data: answer, headers: fault?.headers ?? {} }
      : { ...apiError(fault.status, 'Server Error'), headers: {} },
  );
}

function takeFault(hub: GitHubServer, line: string): Fault | undefined {
  const fault = hub.faults.find(({ on }) => line.includes(on));
  if (fault === undefined) return undefined;
  fault.times = (fault.times ?? 1) - 1;
  if (fault.times <= 0) hub.faults.splice(hub.faults.indexOf(fault), 1);
  return fault;
}

async function answerCall(hub: GitHubServer, { url, matched, body, authorization }: Call): Promise<ApiResponse> {
  const { state } = hub;
  const { operation, params } = matched;
  const token = authorization.replace(/^(token|bearer) /i, '');
  const isApp = operation.id.startsWith('apps/');
  const actor = isApp ? (isAppToken(token, Date.now() + state.aheadMs) ? 'app' : undefined) : state.tokens.get(token);
  if (actor === undefined) return apiError(401, 'Bad credentials');
  if (hub.limitedUntil > Date.now()) return apiError(403, 'API rate limit exceeded for user ID 1.');
  if (params.owner !== undefined && (params.owner !== OWNER || params.repo !== NAME)) return apiError(404, 'Not Found');
  if (state.archived && !isApp && operation.method !== 'GET') return apiError(403, 'Repository was archived so is read-only.');
  await state.refresh();
  const handler = HANDLERS[operation.id];
  if (handler === undefined) throw new Error(`no handler for ${operation.id}`);
  return await handler({ state, actor, params, query: url.searchParams, body });
}

function isAppToken(token: string, now: number): boolean {
  const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? 'e30', 'base64url').toString() || '{}') as Record<string, unknown>;
  const [iat, exp] = [Number(claims.iat) * 1000, Number(claims.exp) * 1000];
  return claims.iss === String(APP.id) && iat <= now && exp > now && exp <= now + 600_000;
}

function pageOf(url: URL, { data, listIn }: ApiResponse): { readonly data: unknown; readonly headers: Record<string, string> } {
  const list = listIn === undefined ? data : (data as Data)[listIn];
  if (!Array.isArray(list)) return { data, headers: {} };
  const [size, number] = [Number(url.searchParams.get('per_page') ?? 30), Number(url.searchParams.get('page') ?? 1)];
  const part = list.slice((number - 1) * size, number * size);
  const next = new URL(url);
  next.searchParams.set('page', String(number + 1));
  const headers = number * size < list.length ? { link: `<${next.href}>; rel="next"` } : {};
  return { data: listIn === undefined ? part : { ...(data as Data), [listIn]: part }, headers: headers as Record<string, string> };
}

interface Sent {
  readonly status: number;
  readonly data?: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

function send(response: ServerResponse, { status, data, headers }: Sent): void {
  const common = { 'x-github-request-id': randomUUID() };
  const isEmpty = status === 204 || status === 304;
  response.writeHead(status, { ...common, ...headers, ...(isEmpty ? {} : { 'content-type': 'application/json; charset=utf-8' }) });
  response.end(isEmpty ? undefined : JSON.stringify(data));
}

interface GitCall {
  readonly root: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

async function serveGit(hub: GitHubServer, { root, request, response }: GitCall): Promise<void> {
  const url = new URL(request.url ?? '/', hub.url);
  const { beforeGit } = hub;
  if (beforeGit !== undefined && `${url.pathname}${url.search}`.includes(beforeGit.on)) {
    hub.beforeGit = undefined;
    beforeGit.work();
  }
  const login = Buffer.from((request.headers.authorization ?? '').replace(/^Basic /, ''), 'base64').toString();
  const actor = hub.state.tokens.get(login.slice(login.indexOf(':') + 1));
  hub.log.push(`${request.method} ${url.pathname}${url.search}`);
  const fault = takeFault(hub, `GIT ${url.pathname}${url.search}`);
  if (actor !== undefined && hub.state.archived && `${url.pathname}${url.search}`.includes('git-receive-pack')) {
    response.writeHead(403, { 'content-type': 'text/plain' });
    return void response.end('This repository was archived so it is read-only.\n');
  }
  if (actor === undefined || fault !== undefined) {
    response.writeHead(fault?.status ?? 401, actor === undefined ? { 'www-authenticate': 'Basic realm="GitHub"' } : {});
    return void response.end();
  }
  await hub.state.refresh();
  const child = spawn('git', ['http-backend'], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: {
      ...{ PATH: process.env.PATH, GIT_PROJECT_ROOT: root, GIT_HTTP_EXPORT_ALL: '1', REMOTE_USER: actor },
      ...{ PATH_INFO: url.pathname, QUERY_STRING: url.search.slice(1), REQUEST_METHOD: request.method },
      ...{ CONTENT_TYPE: request.headers['content-type'] ?? '', HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '' },
      ...{ GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''), GIT_CONFIG_GLOBAL: '/dev/null' },
    },
  });
  request.pipe(child.stdin);
  child.stdin.on('error', () => {});
  const parts: Buffer[] = [];
  for await (const part of child.stdout) parts.push(part as Buffer);
  const output = Buffer.concat(parts);
  const end = output.indexOf('\r\n\r\n');
  const headers = output
    .subarray(0, end)
    .toString()
    .split('\r\n')
    .map((one) => [one.slice(0, one.indexOf(':')), one.slice(one.indexOf(':') + 1).trim()] as const);
  const status = Number(headers.find(([name]) => name === 'Status')?.[1].slice(0, 3) ?? 200);
  response.writeHead(status, Object.fromEntries(headers.filter(([name]) => name !== 'Status')));
  response.end(output.subarray(end + 4));
}
