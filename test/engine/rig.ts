// Owns what tests of the embedded host stand on: a database file of their own, engines that are closed afterwards,
// other processes on the same file, and promises to wait for instead of sleeping.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, watch } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { inject } from 'vitest';
import { createEngine, type Engine, type EngineError, type EngineOptions, type RunView } from '../../src/index.ts';
import { identityOf } from '../../src/process/identity.ts';
import { removeFolder } from '../../src/process/remove-folder.ts';

/** The address of a module of the bundle, which a process loads in a tenth of the time of the sources. */
const bundled = (module: string): string => pathToFileURL(join(inject('bundle'), module)).href;

/** Another process with the library loaded. */
export interface OtherProcess {
  readonly pid: number;
  /** The next line that the process says. */
  said(): Promise<string>;
  tell(line: string): void;
  /** Ends it as a crash does: nothing of it runs any more. */
  kill(): Promise<void>;
  readonly ended: Promise<unknown>;
}

/** A place for one test. */
export interface Rig {
  readonly directory: string;
  /** The database that engines of this rig open. */
  readonly db: string;
  /** What engines of this rig warned of. */
  readonly warnings: unknown[];
  path(name: string): string;
  open(options?: EngineOptions): Promise<Engine>;
  /** Starts a process that runs `code`; it sees the library, `db`, `say(text)` and `hear()`. */
  other(code: string): OtherProcess;
  close(): Promise<void>;
}

/** Builds the place; close it after the test. */
export function createRig(): Rig {
  const directory = mkdtempSync(join(tmpdir(), 'pawl-engine-'));
  const db = join(directory, 'pawl.db');
  const engines: Engine[] = [];
  const warnings: unknown[] = [];
  const children: ChildProcess[] = [];
  return {
    directory,
    db,
    warnings,
    path: (name) => join(directory, name),
    async open(options = {}) {
      const engine = await createEngine({
        synchronous: 'NORMAL',
        warn: (warning) => warnings.push(warning),
        cwd: directory,
        ...(options.store === undefined ? { db } : {}),
        ...options,
      });
      engines.push(engine);
      return engine;
    },
    other(code) {
      const child = startProcess(db, code);
      children.push(child.process);
      return child;
    },
    async close() {
      for (const child of children) child.kill('SIGKILL');
      for (const engine of engines) await engine.close({ abort: true });
      await removeFolder(directory);
    },
  };
}

function startProcess(db: string, code: string): OtherProcess & { readonly process: ChildProcess } {
  const script = `
    import { createInterface } from 'node:readline';
    import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
    import * as pawl from '${bundled('index.mjs')}';
    import { defineWorkflow, Outcome } from '${bundled('compat/index.mjs')}';
    const { createEngine, workflow, step, all, race } = pawl;
    const db = ${JSON.stringify(db)};
    const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
    const hear = async () => (await lines.next()).value;
    const say = (text) => process.stdout.write(String(text) + '\\n');
    ${code}
    process.exit(0);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    process: child,
    pid: child.pid as number,
    said: async () => String((await lines.next()).value),
    tell: (line) => child.stdin.write(`${line}\n`),
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
    ended,
  };
}

/** A promise and the way to keep it. */
export interface Latch<T = void> {
  readonly promise: Promise<T>;
  open(value: T): void;
}

/** Something to wait for. */
export function createLatch<T = void>(): Latch<T> {
  const { promise, resolve } = Promise.withResolvers<T>();
  return { promise, open: resolve };
}

/** The code of the error that a promise is rejected with; `none` when it is not. */
export async function codeOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'none',
    (error: EngineError) => error.code ?? `no code: ${String(error)}`,
  );
}

/** The error that a promise is rejected with. */
export async function errorOf(promise: Promise<unknown>): Promise<EngineError> {
  return promise.then(
    () => {
      throw new Error('it was not refused');
    },
    (error: EngineError) => error,
  );
}

/** Resolves with the text of a file when a whole line is in it. */
export async function appeared(file: string): Promise<string> {
  const isThere = (): boolean => existsSync(file) && readFileSync(file, 'utf8').endsWith('\n');
  const found = createLatch();
  const watcher = watch(dirname(file), () => isThere() && found.open());
  if (!isThere()) await found.promise;
  watcher.close();
  return readFileSync(file, 'utf8').trim();
}

/** True while the process of that number runs; one that is only not buried yet does not. */
export function isRunning(pid: number): boolean {
  return identityOf(pid) !== undefined;
}

/** The run that the first wait of a run is for. */
export function childIn({ waits: [wait] }: RunView): string {
  if (wait?.kind !== 'child') throw new Error(`it waits for ${wait?.kind ?? 'nothing'}, not for a run that it started`);
  return wait.child;
}
