// Starts a run in the background: in its own process and session, so that it survives the terminal, with its
// output in a log file next to the database.

import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { EngineError } from '../base/error.ts';
import { createRunId } from '../base/id.ts';
import { readRunReport } from '../control/run/report.ts';
import { processOf } from '../process/owner.ts';
import type { Store } from '../store/store.ts';
import type { ParsedArgs } from './command.ts';
import type { RunningServer } from './serve/running-servers.ts';
import { closing, openStore, type Setup } from './session.ts';
import { isSettingsFile } from './settings/settings.ts';
import type { Shell } from './shell.ts';
import { plain } from './terminal.ts';

/** A run to start in the background; its parameters were already validated. */
interface BackgroundRun {
  readonly args: ParsedArgs;
  readonly file: string;
}

/** Starts a process that drives the run, and returns when that process has started it. */
export async function detachRun(shell: Shell, setup: Setup, detached: BackgroundRun): Promise<number> {
  const id = detached.args.option('id') ?? createRunId();
  return closing(await openStore(setup), async (store) => {
    if (await exists(store, id)) throw new EngineError('RUN_EXISTS', `run "${id}" already exists; choose another id`);
    const background = startProcess(shell, setup, { id, args: runArgs(setup, id, detached) });
    await waitUntilStored(store, background);
    return reportBackground(shell, store, background);
  });
}

interface ParkedRun {
  readonly store: Store;
  readonly id: string;
  readonly server: RunningServer;
}

/** Waits until a server has claimed a run. If none does, starts a process that drives it. */
export async function handOverToServer(shell: Shell, setup: Setup, { store, id, server }: ParkedRun): Promise<number> {
  if (await isClaimed(store, id))
    return shell.result({ ...(await readRunReport(store, id)), drivenBy: 'server', url: server.url }, () => [
      `run ${id} continues at the server ${server.url}`,
      watchLine(shell, id),
    ]);
  const background = startProcess(shell, setup, { id, args: ['resume', id, '--wait', ...locationArgs(setup)] });
  shell.warn(`the server ${server.url} did not accept run ${id}`);
  return reportBackground(shell, store, background);
}

const CLAIM_MS = 5000;

/** Whether another process drives the run, or there is nothing left to drive. */
async function isClaimed(store: Store, id: string): Promise<boolean> {
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  const { state: first } = await store.load(id);
  const check = async (): Promise<void> => {
    const { state, status, owner } = await store.load(id);
    const isElsewhere = owner !== undefined && processOf(owner) !== process.pid;
    if (isElsewhere || state.seq > first.seq || (status !== 'running' && status !== 'pending')) resolve(true);
  };
  const unfollow = store.follow(() => void check().catch(reject));
  const timer = setTimeout(() => resolve(false), CLAIM_MS);
  check().catch(reject);
  return promise.finally(() => {
    unfollow();
    clearTimeout(timer);
  });
}

/** The arguments of `pawl run`. Values are passed on as given, files by name, so that no content appears in the process list. */
function runArgs(setup: Setup, id: string, { args, file }: BackgroundRun): string[] {
  return [
    'run',
    // A settings file can define several workflows, so only the name identifies one.
    isSettingsFile(setup.project, file) ? args.word('WORKFLOW') : file,
    ...['--id', id, '--wait', ...locationArgs(setup)],
    ...(args.has('locked') ? ['--locked'] : []),
    ...['param', 'params', 'from', 'output', 'issue', 'pr', 'event', 'payload', 'priority'].flatMap((name) =>
      args.options(name).map((value) => `--${name}=${value}`),
    ),
  ];
}

function locationArgs({ file, project }: Setup): string[] {
  return ['--db', file, '--project', project.root];
}

interface BackgroundProcess {
  readonly id: string;
  readonly log: string;
  readonly child: ChildProcess;
}

function startProcess(shell: Shell, setup: Setup, { id, args }: { readonly id: string; readonly args: string[] }): BackgroundProcess {
  const log = join(dirname(setup.file), `run-${id}.log`);
  const fd = openSync(log, 'a', 0o600);
  try {
    const child = spawn(process.execPath, [process.argv[1] as string, ...args], {
      cwd: shell.cwd,
      env: { ...shell.env },
      detached: true,
      stdio: ['ignore', fd, fd],
    });
    return { id, log, child };
  } finally {
    closeSync(fd);
  }
}

async function reportBackground(shell: Shell, store: Store, { id, log, child }: BackgroundProcess): Promise<number> {
  const { pid } = child;
  child.unref();
  return shell.result({ ...(await readRunReport(store, id)), log, drivenBy: 'process', pid }, () => [
    `run ${id} continues in the background (process ${pid}); its output is in ${log}`,
    watchLine(shell, id),
  ]);
}

function watchLine(shell: Shell, id: string): string {
  return `    ${shell.style('cyan', shell.pasteable(`pawl watch ${id}`))}`;
}

async function exists(store: Store, id: string): Promise<boolean> {
  return (await store.resolve(id, 1)).includes(id);
}

/** Resolves when the run is stored; if the process ends before that, the error has the end of its output. */
async function waitUntilStored(store: Store, { id, log, child }: BackgroundProcess): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const check = (): void => void exists(store, id).then((isStored) => isStored && resolve(), reject);
  const unfollow = store.follow(check);
  child.once('error', (cause) =>
    reject(
      new EngineError('STEP_FAILED', `the process for run ${id} could not be started: ${cause.message}; start the run without --detach`, {
        cause,
      }),
    ),
  );
  child.once('exit', async (code) => {
    if (await exists(store, id).catch(() => false)) return resolve();
    reject(
      new EngineError(
        'STEP_FAILED',
        `the process for run ${id} ended with code ${code} before the run began; start it without --detach to see why. Its last lines:\n${lastLines(log)}`,
      ),
    );
  });
  check();
  await promise.finally(() => {
    unfollow();
    child.removeAllListeners();
  });
}

function lastLines(log: string): string {
  return plain(readFileSync(log, 'utf8')).trim().split('\n').slice(-5).join('\n');
}
