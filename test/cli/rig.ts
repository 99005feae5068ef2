// Owns a place to try the command line as a user does: an empty folder, a state directory of its own, and processes in
// a pipe or in a terminal.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { spawn as spawnTerminal } from '@lydell/node-pty';
import { inject } from 'vitest';
import { requiredRightsOf, SCOPES } from '../../src/authority/rights.ts';
import { digestText } from '../../src/base/digest.ts';
import { plain } from '../../src/cli/terminal.ts';
import { removeFolder } from '../../src/process/remove-folder.ts';
import { hasCommandUnderWay, runInProcess } from './in-process.ts';

/** Who calls in a pipe, unless a test says otherwise: a person with every right but that to decide. */
export const PERSON = 'pat';
const TOKEN = 'pawl_of-the-rig';
const DAY_MS = 86_400_000;
/** Verbs that find out by themselves whether they take a right. */
const PERSONAL: ReadonlySet<string> = new Set(['trust', 'fork']);
const START = join(import.meta.dirname, 'start.js');
const WAIT_MS = 100_000;

/** How a process in a pipe ended. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** What a process is started with beside its words. */
export interface Start {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly input?: string;
  readonly columns?: number;
}

/** A process in a pipe that goes on. */
export interface Running {
  readonly process: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Resolves with what was printed when a text or pattern has appeared on stdout or stderr. */
  until(text: string | RegExp): Promise<string>;
}

/** A process in a terminal. */
export interface Terminal {
  readonly pid: number;
  /** All that was printed so far, as it was sent. */
  readonly printed: () => string;
  /** The same without what steers the terminal. */
  readonly text: () => string;
  type(text: string): void;
  resize(columns: number): void;
  until(text: string | RegExp): Promise<string>;
  readonly ended: Promise<number>;
  kill(signal: string): void;
}

/** A folder with its own state, and the command line in it. */
export class CliRig {
  readonly folder: string = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-cli-')));
  readonly project: string = join(this.folder, 'project');
  readonly state: string = join(this.folder, 'state');
  /** The home folder of the user: not the one of the machine. */
  readonly home: string = join(this.folder, 'home');
  /** What every process of this rig has in its environment beside. */
  readonly settings: Record<string, string> = {};
  private readonly started = new Set<ChildProcess>();
  private readonly terminals = new Set<Terminal>();

  constructor() {
    mkdirSync(this.project);
    mkdirSync(this.home);
  }

  /** The environment of every process: nothing of the machine but what a shell needs. */
  env(more: Readonly<Record<string, string>> = {}): Record<string, string> {
    const { PATH = '' } = process.env;
    return {
      PATH,
      HOME: this.home,
      LANG: 'C.UTF-8',
      TERM: 'xterm-256color',
      PAWL_STATE: this.state,
      PAWL_BUNDLE: inject('bundle'),
      NODE_COMPILE_CACHE: join(inject('bundle'), '..', 'compiled'),
      ...this.settings,
      ...more,
    };
  }

  /** The program and the words of a command, for others to start. */
  argv(words: readonly string[]): string[] {
    return [process.execPath, START, ...words];
  }

  /** In a pipe a person has their token, for every verb that takes one but the deciding ones. */
  rightFor([verb = '', ...rest]: readonly string[], state = this.state): Readonly<Record<string, string>> {
    const options = rest.flatMap((word) => (word.startsWith('--') ? [word.slice(2).replace(/=.*/, '')] : []));
    const demands = requiredRightsOf(verb, { options, action: rest[0] });
    if (!PERSONAL.has(verb) && !demands.some(({ demand }) => demand === 'override' || demand === 'upkeep')) return {};
    if (!existsSync(state)) mkdirSync(state, { mode: 0o700 });
    if (!statSync(state).isDirectory()) return {};
    const file = join(state, 'tokens.json');
    const tokens = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { tokens: { name: string }[] }).tokens : [];
    const scopes = SCOPES.filter((scope) => scope !== 'decide');
    const row = { name: PERSON, hash: digestText(TOKEN), createdAt: 0, expiresAt: Date.now() + DAY_MS, scopes };
    if (!tokens.some(({ name }) => name === PERSON)) {
      writeFileSync(file, JSON.stringify({ version: 1, tokens: [...tokens, row] }), { mode: 0o600 });
      rmSync(`${file}.sum`, { force: true });
    }
    return { PAWL_TOKEN: TOKEN };
  }

  /** Writes a file of the project. */
  write(path: string, text: string): string {
    const file = join(this.project, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  }

  /** Starts a process in a pipe. */
  start(words: readonly string[], options: Start = {}): Running {
    const child = spawn(process.execPath, [START, ...words], {
      cwd: options.cwd ?? this.project,
      env: this.callerEnv(words, options),
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.started.add(child);
    const printed = { stdout: '', stderr: '' };
    const watchers = new Set<() => void>();
    for (const name of ['stdout', 'stderr'] as const)
      child[name]?.setEncoding('utf8').on('data', (text: string) => {
        printed[name] += text;
        for (const look of watchers) look();
      });
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(options.input ?? '');
    const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, ...printed }));
    const all = (): string => printed.stdout + printed.stderr;
    return { process: child, ended, until: (text) => waitUntil(text, { all, watchers, ended }) };
  }

  /**
   * Runs a command to its end as in a pipe, in the process of the test, which takes a tenth of the time. `start` is for
   * tests in which the process matters; commands that run at the same time are processes too.
   */
  async run(words: readonly string[], options: Start = {}): Promise<Ended> {
    if (hasCommandUnderWay()) return this.start(words, options).ended;
    const { cwd = this.project, input = '' } = options;
    return runInProcess({ argv: [process.execPath, START, ...words], cwd, input, env: this.callerEnv(words, options) });
  }

  private callerEnv(words: readonly string[], { env = {} }: Start): Record<string, string> {
    return this.env({ ...this.rightFor(words, this.env(env).PAWL_STATE), ...env });
  }

  /** Runs a command with --json and gives what it printed. */
  async json<T = Record<string, unknown>>(words: readonly string[], options: Start = {}): Promise<T & { readonly code: number | null }> {
    const { code, stdout } = await this.run([...words, '--json'], options);
    return { ...(JSON.parse(stdout) as T), code };
  }

  /** Starts a process in a terminal of 80 columns. */
  terminal(words: readonly string[], options: Start = {}): Terminal {
    const pty = spawnTerminal(process.execPath, [START, ...words], {
      cols: options.columns ?? 80,
      rows: 40,
      cwd: options.cwd ?? this.project,
      env: this.env(options.env),
    });
    let printed = '';
    const watchers = new Set<() => void>();
    pty.onData((text) => {
      printed += text;
      for (const look of watchers) look();
    });
    const ended = new Promise<number>((resolve) => {
      pty.onExit(({ exitCode, signal }) => resolve(signal !== undefined && signal > 0 ? 128 + signal : exitCode));
    });
    const terminal: Terminal = {
      pid: pty.pid,
      printed: () => printed,
      text: () => plain(printed),
      type: (text) => pty.write(text),
      resize: (columns) => pty.resize(columns, 40),
      until: (text) => waitUntil(text, { all: () => plain(printed), watchers, ended }),
      ended,
      kill: (signal) => pty.kill(signal),
    };
    this.terminals.add(terminal);
    ended.then(() => this.terminals.delete(terminal));
    return terminal;
  }

  /** Ends what is still running and removes the folder. */
  async close(): Promise<void> {
    for (const child of this.started) if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    for (const terminal of this.terminals) terminal.kill('SIGKILL');
    this.releaseHeld();
    await removeFolder(this.folder);
  }

  /** Lets steps end that outlived a killed process and still wait at a pipe (`Hold`). */
  private releaseHeld(): void {
    if (!existsSync(this.project)) return;
    for (const entry of readdirSync(this.project, { withFileTypes: true }))
      if (entry.isFIFO() && entry.name.endsWith('.go'))
        closeSync(openSync(join(this.project, entry.name), constants.O_RDWR | constants.O_NONBLOCK));
  }
}

/** Resolves with what was printed when a text or pattern has appeared in it. */
export async function waitUntil(
  text: string | RegExp,
  source: { readonly all: () => string; readonly watchers: Set<() => void>; readonly ended: Promise<unknown> },
): Promise<string> {
  const has = (): boolean => (typeof text === 'string' ? source.all().includes(text) : text.test(source.all()));
  let look: () => void = () => undefined;
  let timer: NodeJS.Timeout | undefined;
  const seen = new Promise<void>((resolve, reject) => {
    look = () => {
      if (has()) resolve();
    };
    source.watchers.add(look);
    timer = setTimeout(() => reject(new Error(`${text} did not appear; what did:\n${source.all()}`)), WAIT_MS);
    source.ended.then(() => {
      if (has()) resolve();
      else reject(new Error(`${text} did not appear before the end; what did:\n${source.all()}`));
    });
    look();
  });
  try {
    await seen;
    return source.all();
  } finally {
    source.watchers.delete(look);
    clearTimeout(timer);
  }
}
