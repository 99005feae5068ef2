// Owns a real server on loopback with its engine and database, and requests as they are on the wire: with any Host, Origin
// and cookie, which `fetch` would not send.

import { writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { createEngine, type Engine } from '../../src/api/engine.ts';
import type { AnyWorkflow, EngineOptions } from '../../src/api/engine-options.ts';
import { LOGIN_SCOPES, type LoginScope } from '../../src/authority/rights.ts';
import { defineWorkflow } from '../../src/compat/index.ts';
import { arg } from '../../src/index.ts';
import { accessOf } from '../../src/server/access/access.ts';
import { createLink } from '../../src/server/access/links.ts';
import { addPerson, findPerson } from '../../src/server/access/people.ts';
import { createToken } from '../../src/server/access/tokens.ts';
import { type OpenServer, type OpenServerOptions, openServer } from '../../src/server/app-server.ts';
import { tempFolder } from '../temp-folder.ts';

/** A reply as it came. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  json<T = Record<string, unknown>>(): T;
}

/** The content of a request. */
export interface Asked {
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON, unless it is a text. */
  readonly body?: unknown;
  readonly cookie?: string;
  readonly token?: string;
}

/** A draft, and a question about it and another file. */
const ASK = defineWorkflow({
  name: 'publish',
  params: { text: arg({ default: 'first draft' }) },
  steps: [
    { id: 'draft', handler: (ctx) => ({ text: ctx.workflowParams.text }), next: 'ask' },
    {
      id: 'ask',
      human: {
        prompt: 'Publish <b>this</b>?',
        context: ['text'],
        subjects: { files: ['plan.md'] },
        options: [
          { label: 'approve', nextStep: 'publish' },
          { label: 'rework', nextStep: 'draft', requiresInput: true },
        ],
      },
    },
    { id: 'publish', handler: () => ({}), next: null },
  ],
});

let tokens = 0;

/** A server with people. */
export class AccessRig {
  readonly engine: Engine;
  readonly server: OpenServer;
  readonly port: number;
  readonly url: string;
  readonly folder: string;
  private readonly clock: { at: number };
  /** The page secret of each session, by its cookie. */
  private readonly pages = new Map<string, string>();

  private constructor(parts: Pick<AccessRig, 'engine' | 'server' | 'port' | 'url' | 'folder'> & { readonly clock: { at: number } }) {
    this.engine = parts.engine;
    this.server = parts.server;
    this.port = parts.port;
    this.url = parts.url;
    this.clock = parts.clock;
    this.folder = parts.folder;
  }

  static async open({
    workflows = [ASK],
    server: options = {},
    ...engineOptions
  }: {
    readonly workflows?: readonly AnyWorkflow[];
    readonly server?: OpenServerOptions;
  } & Partial<EngineOptions> = {}): Promise<AccessRig> {
    const folder = tempFolder();
    writeFileSync(join(folder, 'plan.md'), 'one');
    const clock = { at: Date.now() };
    const engine = await createEngine({ db: join(folder, 'runs.db'), cwd: folder, workflows, rights: 'checked', ...engineOptions });
    const server = openServer(engine, { workflows, now: () => clock.at, db: join(folder, 'runs.db'), ...options });
    const { port, url } = await server.listen({ port: 0 });
    return new AccessRig({ engine, server, port, url, clock, folder });
  }

  get access() {
    return accessOf(this.server.services);
  }

  /** Lets time pass for the server. */
  wait(ms: number): void {
    this.clock.at += ms;
  }

  async close(): Promise<void> {
    await this.server.close();
    await this.engine.close();
  }

  person(
    name: string,
    { scopes = LOGIN_SCOPES, manages = false }: { readonly scopes?: readonly LoginScope[]; readonly manages?: boolean } = {},
  ): void {
    if (findPerson(this.access, name) === undefined) addPerson(this.access, { name, scopes, manages, invitedBy: 'test' });
  }

  /** The secret of a link to log in. */
  link(name: string, lastsMs = 60_000): string {
    this.person(name);
    return createLink(this.access, { kind: 'login', person: name, createdBy: 'test', lifetimeMs: lastsMs }).secret;
  }

  /** The cookie of a person who logged in by link. */
  async login(name: string): Promise<string> {
    return cookieIn(await this.form('/auth/link', { secret: this.link(name) }));
  }

  token(name: string, scopes: readonly LoginScope[] = LOGIN_SCOPES): string {
    this.person(name);
    return createToken(this.access, { person: name, name: `t${tokens++}`, scopes, lifetimeMs: 60_000 }).secret;
  }

  /** Sends a form from a page of the server. */
  async form(path: string, fields: Readonly<Record<string, string>>, asked: Asked = {}): Promise<Reply> {
    const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: this.url, ...asked.headers };
    const reply = await this.send('POST', path, { ...asked, headers, body: new URLSearchParams(fields).toString() });
    this.pages.set(cookieIn(reply), pageIn(reply));
    return reply;
  }

  /** Sends a request. Cookies come with the header that our own pages send. */
  async send(method: string, path: string, { headers = {}, body, cookie, token }: Asked = {}): Promise<Reply> {
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const all = {
      host: `localhost:${this.port}`,
      ...(text === undefined ? {} : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) }),
      ...(cookie === undefined ? {} : { cookie, 'x-pawl': '1', 'x-pawl-page': this.pages.get(cookie) ?? '' }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    };
    return new Promise((resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port: this.port, method, path, headers: all, agent: false }, (response) => {
        let said = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          said += chunk;
        });
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text: said, json: <T>() => JSON.parse(said) as T }),
        );
        response.on('error', reject);
      });
      sent.on('error', reject);
      sent.end(text);
    });
  }

  /** The code of the failure that a request gets; `ok` if it gets none. */
  async code(method: string, path: string, asked: Asked = {}): Promise<string> {
    const reply = await this.send(method, path, asked);
    return reply.status < 400 ? 'ok' : String(reply.json().code);
  }

  /** A run that waits at its approval. */
  async parked(text = 'first draft'): Promise<{ readonly id: string; readonly digest: string }> {
    const run = await this.engine.start('publish', { text } as never);
    await run.wait('idle');
    const [approval] = await run.approvals();
    return { id: run.id, digest: approval?.digest ?? '' };
  }
}

/** The page secret of a session that begins with a reply. */
export function pageIn({ text }: Reply): string {
  return /pawlp_[\w-]{43}/.exec(text)?.[0] ?? '';
}

/** The cookie that a reply sets. */
export function cookieIn({ headers }: Reply): string {
  return [headers['set-cookie']].flat()[0]?.split(';')[0] ?? '';
}
