// Owns the server: one app of several parts around an engine, the headers of every response, and the socket it listens on.

import { once } from 'node:events';
import type { Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { createAdaptorServer } from '@hono/node-server';
import { Hono, type MiddlewareHandler } from 'hono';
import { type Engine, keysOf } from '../api/engine.ts';
import { assertKnownOptions } from '../api/engine-options.ts';
import { EngineError, isEngineError } from '../base/error.ts';
import { omitUndefined } from '../base/fields.ts';
import { transcriptsOf } from '../engine/transcript/transcripts.ts';
import { type Addresses, addressesOf, type ListenAt } from './access/addresses.ts';
import { assertOwnPage } from './access/guard.ts';
import { ensureOwner, loginLink } from './access/invitations.ts';
import { ACCESS } from './access/part.ts';
import { recordBaseUrl } from './access/tables.ts';
import { API } from './api/api.ts';
import { embeddedProject } from './embedded-project.ts';
import type { EventSettings } from './events/event-settings.ts';
import { EVENTS, openDeliveries } from './events/events.ts';
import { MachinePaths } from './machine-paths.ts';
import { PAGES } from './pages.ts';
import { problemResponse } from './problem.ts';
import { REPEATS_TABLES } from './repeats.ts';
import type { ServerApp } from './route.ts';
import { Methods, requireScope } from './route-access.ts';
import type { ListenOptions, PawlServer, ServerAddress, ServerOptions } from './server.ts';
import { openServerDatabase, type PartTables, serverFileOf } from './server-database.ts';
import type { ServedProject, ServerPart, Services } from './services.ts';
import { CHANGE_TABLES, ChangeLog } from './stream/change-log.ts';
import { Streams } from './stream/streams.ts';
import { SURFACE } from './surface/part.ts';
import { watchOtherProcesses } from './takeover.ts';
import { PEOPLE } from './triggers/people.ts';

/** Every part, in the order in which they are mounted. The pages come last: they handle every other path. */
export const PARTS: readonly ServerPart[] = [ACCESS, API, EVENTS, PEOPLE, SURFACE, PAGES];

function tablesOf(parts: readonly ServerPart[]): readonly PartTables[] {
  return [REPEATS_TABLES, ...parts.flatMap(({ tables }) => tables ?? [])];
}

/** The options of `createServer`, and the project to serve. */
export interface OpenServerOptions extends ServerOptions {
  /** The project behind it, in place of `workflows`. */
  readonly project?: ServedProject;
}

/** A server with its internals, for the command line and tests. */
export interface OpenServer extends PawlServer {
  /** Every route, for tests and descriptions. */
  readonly app: ServerApp;
  readonly services: Services;
}

const OPTIONS: Record<keyof OpenServerOptions, true> = {
  workflows: true,
  project: true,
  db: true,
  identify: true,
  publicUrl: true,
  trustedProxy: true,
  groups: true,
  identities: true,
  pages: true,
  events: true,
  version: true,
  warn: true,
  now: true,
};

const EVENT_OPTIONS: Record<keyof EventSettings, true> = {
  hooks: true,
  notifications: true,
  secret: true,
  allow: true,
  metrics: true,
  clock: true,
  forge: true,
  webhookProjects: true,
};
const LISTEN_OPTIONS: Record<keyof ListenOptions, true> = { host: true, port: true, tls: true };

function checkOptions(options: OpenServerOptions): void {
  assertKnownOptions('createServer', options, OPTIONS);
  assertKnownOptions('createServer, events', options.events, EVENT_OPTIONS);
  if (options.project !== undefined && options.workflows !== undefined)
    throw new EngineError('OPTION_INVALID', 'createServer: pass either "workflows" or "project", not both');
}

/** The default port. */
export const PORT = 7411;

/** Opens a server around an engine. It listens when `listen` is called, or answers through `fetch`. */
export function openServer(engine: Engine, options: OpenServerOptions = {}): OpenServer {
  checkOptions(options);
  return new AppServer(engine, options, PARTS);
}

class AppServer implements OpenServer {
  readonly app: ServerApp = new Hono();
  readonly services: Services;
  private readonly closers: (() => void | Promise<void>)[] = [];
  private socket: Server | undefined;
  private listening: ServerAddress | undefined;
  private opening: Promise<unknown> | undefined;
  private readonly front: Pick<ListenAt, 'publicUrl' | 'trustedProxy'>;
  private addresses: Addresses;

  constructor(engine: Engine, options: OpenServerOptions, parts: readonly ServerPart[]) {
    const { db = ':memory:', now = Date.now, warn = (error) => process.emitWarning(String(error)), groups = {} } = options;
    this.front = omitUndefined({ publicUrl: options.publicUrl, trustedProxy: options.trustedProxy });
    // Mounted in another server, it has that server's address, or the given public one.
    this.addresses = addressesOf({ host: '127.0.0.1', port: 80, hasTls: false, ...this.front });
    const database = openServerDatabase(serverFileOf(db), tablesOf(parts));
    const changes = openServerDatabase(serverFileOf(db), [CHANGE_TABLES], 'NORMAL');
    const log = new ChangeLog({ engine, database: changes, warn });
    const streams = new Streams(engine.store, log);
    const unwatch = watchOtherProcesses(engine, warn);
    this.closers.push(async () => {
      await unwatch();
      streams.end(() => true);
      await log.close();
      changes.close();
    });
    const project = options.project ?? embeddedProject(options.workflows ?? []);
    const events = options.events ?? {};
    this.services = {
      streams,
      engine,
      store: engine.store,
      project,
      database,
      deliveries: openDeliveries({ engine, project, database, events, warn }),
      transcripts: db === ':memory:' ? undefined : transcriptsOf(db),
      repeats: { database, now, underWay: new Map() },
      version: options.version ?? '0.0.0',
      paths: new MachinePaths({ project: project.root ?? process.cwd(), db: db === ':memory:' ? undefined : resolve(db) }),
      pages: options.pages,
      routes: parts.flatMap((part) => part.routes),
      events,
      now,
      address: () => this.listening?.url,
      knownAddress: async () => {
        await this.opening;
        return this.listening?.url ?? (options.publicUrl === undefined ? undefined : this.addresses.baseUrl);
      },
      publicAddress: () => (options.publicUrl === undefined ? undefined : this.addresses.baseUrl),
      addresses: () => this.addresses,
      groups: () => (typeof groups === 'function' ? groups() : groups),
      keys: keysOf(options.identities),
      warn,
      onClose: (close) => this.closers.push(close),
    };
    mountParts(this.app, this.services, { parts, options });
  }

  readonly fetch = (request: Request): Response | Promise<Response> => this.app.fetch(request);

  async listen(options: ListenOptions = {}): Promise<ServerAddress> {
    assertKnownOptions('listen', options, LISTEN_OPTIONS);
    const opening = this.open(options);
    this.opening = opening.catch(() => undefined);
    return opening;
  }

  private async open({ host = '127.0.0.1', port = PORT, tls }: ListenOptions): Promise<ServerAddress> {
    const at = { host, hasTls: tls !== undefined, ...this.front };
    // Rejects an address that is not allowed before the port is opened.
    addressesOf({ ...at, port });
    const socket = createAdaptorServer({ fetch: this.app.fetch, ...socketOptions(tls) }) as Server;
    this.socket = socket;
    socket.listen(port, host);
    await once(socket, 'listening').catch((cause: NodeJS.ErrnoException) => {
      throw notListening(cause, `${host}:${port}`);
    });
    const { port: openPort } = socket.address() as AddressInfo;
    this.addresses = addressesOf({ ...at, port: openPort });
    this.listening = { host, port: openPort, url: this.addresses.baseUrl };
    recordBaseUrl(this.services, this.addresses.baseUrl);
    return this.listening;
  }

  loginLink(person: string): string {
    ensureOwner(this.services, person);
    return loginLink(this.services, this.addresses, { person, by: person }).url;
  }

  async close(): Promise<void> {
    const { socket } = this;
    this.socket = undefined;
    const closed = socket === undefined ? undefined : new Promise((resolve) => socket.close(resolve));
    for (const close of this.closers.splice(0)) await close();
    socket?.closeIdleConnections();
    const timer = setTimeout(() => socket?.closeAllConnections(), CLOSE_MS);
    await closed;
    clearTimeout(timer);
    if (!this.isClosed) this.services.database.close();
    this.isClosed = true;
  }

  private isClosed = false;

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

function notListening(cause: NodeJS.ErrnoException, where: string): EngineError {
  const why =
    cause.code === 'EADDRINUSE'
      ? `another program listens on ${where}; end it if it is an earlier server, or choose another port (--port)`
      : `cannot listen on ${where}: ${cause.message}`;
  return new EngineError('USAGE', why, { cause, details: { where } });
}

/** How long requests may still take when the server closes. */
const CLOSE_MS = 2000;
/** The connection of a client that sends its headers or body too slowly is closed. */
const SOCKET = { headersTimeout: 10_000, requestTimeout: 60_000, keepAliveTimeout: 5000, maxHeaderSize: 32 * 1024 };

function socketOptions(tls: ListenOptions['tls']) {
  return tls === undefined ? { serverOptions: SOCKET } : { createServer: createTlsServer, serverOptions: { ...SOCKET, ...tls } };
}

function mountParts(
  app: ServerApp,
  services: Services,
  { parts, options }: { readonly parts: readonly ServerPart[]; readonly options: OpenServerOptions },
): void {
  const { routes, paths } = services;
  const methods = new Methods(routes, paths);
  const { identify } = options;
  app.use('*', (c, next) => {
    c.set('paths', paths);
    return next();
  });
  for (const part of parts) part.watch?.(app, services);
  app.use('*', securityHeaders);
  if (identify === undefined) for (const part of parts) part.guard?.(app, services);
  else
    app.use('*', async (c, next) => {
      services.database.assertInPlace();
      assertOwnPage(c, services.addresses().isOrigin);
      const caller = await identify(c.req.raw);
      if (caller !== undefined) c.set('caller', caller);
      return next();
    });
  app.use('*', methods.options);
  app.use('*', requireScope(routes));
  for (const part of parts) part.mount(app, services);
  app.notFound((c) => methods.missing(c));
  app.onError((error) => {
    if (!isEngineError(error)) services.warn(error);
    return problemResponse(error, paths);
  });
}

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  // With no-referrer a browser sends "Origin: null" with a form, which the origin check must reject.
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=()',
};

/** Sets the headers of every response: nothing may be embedded, sniffed or loaded from elsewhere, and nothing is cached. A route may set its own `cache-control`, but none of the others. */
const securityHeaders: MiddlewareHandler = async (c, next) => {
  await next();
  // The response to HEAD has no body, so the stream must not stay open.
  if (c.req.method === 'HEAD') await c.res.body?.cancel();
  for (const [name, value] of Object.entries(HEADERS)) c.res.headers.set(name, value);
  if (!c.res.headers.has('cache-control')) c.res.headers.set('cache-control', 'no-store');
};
