// Owns the project that the browser opens in tests: workflows, the real `pawl serve` in its own terminal, and people who
// are logged in.

import { execFileSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type IPty, spawn } from '@lydell/node-pty';
import type { Browser, BrowserContext, Page } from './browser.ts';

/** Where a project and its state are, and the launcher that runs commands on it. */
export interface Place {
  readonly project: string;
  readonly state: string;
  /** The launcher of the command line. */
  readonly launcher: string;
}

/** Writes a project with these files, trusted on this machine. */
export function createProject(home: string, launcher: string, files: Readonly<Record<string, string>>): Place {
  const [project, state] = [join(home, 'shop'), join(home, 'state')];
  for (const [path, text] of Object.entries(files)) writeIn(project, path, text);
  writeIn(state, 'trust.json', JSON.stringify({ folders: { [project]: new Date(0).toISOString() }, files: {} }));
  commitAll(project);
  return { project, state, launcher };
}

/** Makes a repository of a project, with everything committed. */
export function commitAll(project: string): void {
  const git = (...words: string[]): unknown =>
    execFileSync('git', ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.org', '-c', 'commit.gpgsign=false', ...words], {
      cwd: project,
    });
  git('init', '--quiet', '--initial-branch=main');
  git('add', '--all');
  git('commit', '--quiet', '-m', 'A shop');
}

/** Writes a file of a project. */
export function writeIn(folder: string, path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

const WAIT_MS = 60_000;

/** A server that runs. */
export class Served {
  readonly place: Place;
  private terminal: IPty | undefined;
  private printed = '';
  private port = 0;

  constructor(place: Place) {
    this.place = place;
  }

  /** The address of the server; a browser needs the name of this machine for passkeys. */
  get url(): string {
    return `http://localhost:${this.port}`;
  }

  /** The id of the process that serves. */
  get pid(): number {
    return this.terminal?.pid ?? 0;
  }

  /** Starts the server, on the same port as before, and waits until it listens. */
  async start(): Promise<void> {
    this.printed = '';
    this.terminal = this.spawn(['serve', '--port', String(this.port)], (text) => {
      this.printed += text;
    });
    const [, port] = await this.until(/Serving on http:\/\/[\w.]+:(\d+)/);
    this.port = Number(port);
  }

  /** The link with which the person who started the server logs in. */
  async loginLink(): Promise<string> {
    const [link = ''] = await this.until(/http:\/\/\S+\/auth\/link\/[\w.~-]+/);
    return link.replace(/^http:\/\/[^/]+/, this.url);
  }

  /** Kills the server without a warning. */
  async kill(): Promise<void> {
    await this.end('SIGKILL');
  }

  /** Stops the server as Ctrl-C does. */
  async stop(): Promise<void> {
    await this.end('SIGTERM');
  }

  /** Runs a command on the project in a terminal, as a person does, and returns its output. */
  command(...words: readonly string[]): Promise<string> {
    return new Promise((resolve, reject) => {
      let printed = '';
      const terminal = this.spawn(words, (text) => {
        printed += text;
      });
      const timer = setTimeout(() => terminal.kill('SIGKILL'), WAIT_MS);
      terminal.onExit(({ exitCode }) => {
        clearTimeout(timer);
        if (exitCode === 0) resolve(printed);
        else reject(new Error(`pawl ${words.join(' ')} ended with ${exitCode}:\n${printed}`));
      });
    });
  }

  private async end(signal: string): Promise<void> {
    const { terminal } = this;
    this.terminal = undefined;
    if (terminal === undefined) return;
    const ended = new Promise<void>((resolve) => terminal.onExit(() => resolve()));
    process.kill(terminal.pid, signal);
    await ended;
  }

  private spawn(words: readonly string[], heard: (text: string) => void): IPty {
    const { project, state, launcher } = this.place;
    const { PATH = '', HOME = '' } = process.env;
    const env = { PATH, HOME, USER: 'ann', LANG: 'C.UTF-8', TERM: 'xterm', NO_COLOR: '1', PAWL_STATE: state };
    const terminal = spawn(process.execPath, [launcher, ...words], { cols: 400, rows: 50, cwd: project, env });
    terminal.onData(heard);
    return terminal;
  }

  /** Waits until the server has printed something. */
  private async until(pattern: RegExp): Promise<RegExpExecArray> {
    const { promise, resolve, reject } = Promise.withResolvers<RegExpExecArray>();
    const look = (): void => {
      const found = pattern.exec(this.printed);
      if (found !== null) resolve(found);
    };
    const fail = (): void => reject(new Error(`the server did not print ${pattern}:\n${this.printed}`));
    const timer = setTimeout(fail, WAIT_MS);
    this.terminal?.onData(look);
    this.terminal?.onExit(fail);
    look();
    return promise.finally(() => clearTimeout(timer));
  }
}

/** Options of a look at the dashboard. */
export interface Look {
  readonly width?: number;
  readonly height?: number;
  readonly colours?: 'light' | 'dark';
}

/** A user of the dashboard, with a separate profile and its errors. */
export class Visitor {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors of scripts, violations of the content policy, and requests to other machines. */
  readonly problems: string[];

  private constructor(page: Page, context: BrowserContext, problems: string[]) {
    this.page = page;
    this.context = context;
    this.problems = problems;
  }

  /** Opens a separate profile. */
  static async open(browser: Browser, { width = 1440, height = 900, colours = 'light' }: Look = {}): Promise<Visitor> {
    const context = await browser.newContext({
      locale: 'en-GB',
      timezoneId: 'Europe/Berlin',
      viewport: { width, height },
      colorScheme: colours,
    });
    const page = await context.newPage();
    const problems: string[] = [];
    page.on('pageerror', (error: Error) => problems.push(`error: ${error.message}`));
    page.on('dialog', () => problems.push('a dialog opened'));
    page.on('console', (message: { type(): string; text(): string }) => {
      if (/Content Security Policy/i.test(message.text())) problems.push(message.text());
    });
    page.on('request', (request: { url(): string }) => {
      if (!/^(?:http:\/\/localhost:\d+\/|data:|blob:)/.test(request.url())) problems.push(`request: ${request.url()}`);
    });
    return new Visitor(page, context, problems);
  }

  /** Logs in with a one-time link. */
  async logIn(link: string): Promise<this> {
    await this.page.goto(link);
    await this.page
      .getByRole('button', { name: /log in|welcome|continue|accept/i })
      .first()
      .click();
    await this.page.waitForURL(/\/(?:inbox|auth\/register|$)/);
    return this;
  }

  async close(): Promise<void> {
    await this.context.close();
  }
}

/** Starts a run through the API, as the page does, and returns its id. */
export function beginRun(page: Page, workflow: string, params: object = {}): Promise<string> {
  return page.evaluate(
    async (body: object) => {
      const headers = { 'content-type': 'application/json', 'x-pawl': '1' };
      const answer = await fetch('/api/v1/runs', { method: 'POST', headers, body: JSON.stringify(body) });
      const text = await answer.text();
      if (!answer.ok) throw new Error(text);
      return (JSON.parse(text) as { run: { id: string } }).run.id;
    },
    { workflow, params },
  );
}

/** Sends a signed delivery to a hook. */
export function deliver(
  url: string,
  { id, secret, body }: { readonly id: string; readonly secret: string; readonly body: object },
): Promise<Response> {
  const time = String(Math.floor(Date.now() / 1000));
  const text = JSON.stringify(body);
  const signature = createHmac('sha256', secret).update(`${id}.${time}.${text}`).digest('base64');
  const signed = { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': `v1,${signature}` };
  return fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', ...signed }, body: text });
}
