// Owns starting a run in the background: in its own process and session, so that it survives the terminal, with its
// output in a log file next to the database.

import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { EngineError } from '../base/error.ts';
import { createRunId } from '../base/id.ts';
import { readRunReport } from '../control/run-report.ts';
import { processOf } from '../process/owner.ts';
import type { Store } from '../store/store.ts';
import { pasteable } from './caller.ts';
import type { ParsedArgs } from './command.ts';
import type { RunningServer } from './serve/running-servers.ts';
import { closing, openStore, type Place } from './session.ts';
import { isSettingsFile } from './settings/settings.ts';
import type { Shell } from './shell.ts';
import { plain } from './terminal.ts';

/** A run to start in the background; its parameters were already validated. */
interface BackgroundRun {
  readonly given: ParsedArgs;
  readonly file: string;
}

/** Starts a process that drives the run, and returns when that process has started it. */
export async function detachRun(shell: Shell, place: Place, detached: BackgroundRun): Promise<number> {
  const id = detached.given.option('id') ?? createRunId();
  return closing(await openStore(place), async (store) => {
    if ((await store.resolve(id, 1)).includes(id)) throw new EngineError('RUN_EXISTS', `run "${id}" already exists; choose another id`);
    const log = join(dirname(place.file), `run-${id}.log`);
    const child = startProcess(shell, wordsOf(place, id, detached), log);
    await started(store, { id, log, child });
    child.unref();
    return shell.result({ ...(await readRunReport(store, id)), log, drivenBy: 'process', pid: child.pid }, () => [
      `run ${id} continues in the background (process ${child.pid}); its output is in ${log}`,
      `    ${shell.style('cyan', pasteable(shell, `pawl watch ${id}`))}`,
    ]);
  });
}

/** A run that was put on disk, and the server that is to drive it. */
interface ParkedRun {
  readonly store: Store;
  readonly id: string;
  readonly server: RunningServer;
}

/** Waits until a server has taken a run. If it does not, a process is started that drives it. */
export async function leaveToServer(shell: Shell, place: Place, { store, id, server }: ParkedRun): Promise<number> {
  const watch = `    ${shell.style('cyan', pasteable(shell, `pawl watch ${id}`))}`;
  if (await isTaken(store, id))
    return shell.result({ ...(await readRunReport(store, id)), drivenBy: 'server', url: server.url }, () => [
      `run ${id} continues at the server ${server.url}`,
      watch,
    ]);
  const log = join(dirname(place.file), `run-${id}.log`);
  const child = startProcess(shell, ['resume', id, '--wait', '--db', place.file, '--project', place.project.root], log);
  child.unref();
  return shell.result({ ...(await readRunReport(store, id)), log, drivenBy: 'process', pid: child.pid }, () => [
    `the server ${server.url} did not accept run ${id}; it continues in the background (process ${child.pid}), with its output in ${log}`,
    watch,
  ]);
}

/** How long a server has to take a run. */
const TAKEN_MS = 5000;

/** Whether another process drives the run, or there is nothing left to drive. */
async function isTaken(store: Store, id: string): Promise<boolean> {
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  const { state: first } = await store.load(id);
  const look = async (): Promise<void> => {
    const { state, status, owner } = await store.load(id);
    const isElsewhere = owner !== undefined && processOf(owner) !== process.pid;
    if (isElsewhere || state.seq > first.seq || (status !== 'running' && status !== 'pending')) resolve(true);
  };
  const unfollow = store.follow(() => void look().catch(reject));
  const timer = setTimeout(() => resolve(false), TAKEN_MS);
  look().catch(reject);
  return promise.finally(() => {
    unfollow();
    clearTimeout(timer);
  });
}

/** The arguments for the new process. Values are passed on as given, files by name, so that no content becomes visible. */
function wordsOf(place: Place, id: string, { given, file }: BackgroundRun): string[] {
  return [
    'run',
    // A settings file can define several workflows, so only the name identifies one.
    isSettingsFile(place.project, file) ? given.word('WORKFLOW') : file,
    ...['--id', id, '--wait', '--db', place.file, '--project', place.project.root],
    ...(given.has('locked') ? ['--locked'] : []),
    ...['param', 'params', 'from', 'output', 'issue', 'pr', 'event', 'payload', 'priority'].flatMap((name) =>
      given.options(name).map((value) => `--${name}=${value}`),
    ),
  ];
}

function startProcess(shell: Shell, words: readonly string[], log: string): ReturnType<typeof spawn> {
  const fd = openSync(log, 'a', 0o600);
  try {
    return spawn(process.execPath, [process.argv[1] as string, ...words], {
      cwd: shell.cwd,
      env: { ...shell.env },
      detached: true,
      stdio: ['ignore', fd, fd],
    });
  } finally {
    closeSync(fd);
  }
}

/** Resolves when the run is on disk; if the process ends before that, the error has its last output. */
async function started(
  store: Store,
  { id, log, child }: { readonly id: string; readonly log: string; readonly child: ReturnType<typeof spawn> },
): Promise<void> {
  const isThere = async (): Promise<boolean> => (await store.resolve(id, 1)).includes(id);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const look = (): void => void isThere().then((is) => is && resolve(), reject);
  const unfollow = store.follow(look);
  child.once('error', (cause) =>
    reject(new EngineError('STEP_FAILED', `the process for run ${id} could not be started: ${cause.message}`, { cause })),
  );
  child.once('exit', async (code) => {
    if (await isThere().catch(() => false)) return resolve();
    reject(new EngineError('STEP_FAILED', `the process for run ${id} ended with ${code} before the run began:\n${tailOf(log)}`));
  });
  look();
  await promise.finally(() => {
    unfollow();
    child.removeAllListeners();
  });
}

function tailOf(log: string): string {
  return plain(readFileSync(log, 'utf8')).trim().split('\n').slice(-5).join('\n');
}
