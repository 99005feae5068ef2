// Owns starting a run in the background: in its own process and session, so that it survives the terminal, with its
// output in a log file next to the database.

import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { EngineError } from '../base/error.ts';
import { createRunId } from '../base/id.ts';
import type { Store } from '../store/store.ts';
import { pasteable } from './caller.ts';
import type { ParsedArgs } from './command.ts';
import { readRunReport } from './run-report/run-report.ts';
import { closing, openStore, type Place } from './session.ts';
import { isSettingsFile } from './settings/settings.ts';
import type { Shell } from './shell.ts';
import { plain } from './terminal.ts';

/** A run to start in the background; its parameters were already validated. */
export interface BackgroundRun {
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
    return shell.result({ ...(await readRunReport(store, id)), log }, () => [
      `run ${id} continues in the background (process ${child.pid}); its output is in ${log}`,
      `    ${shell.style('cyan', pasteable(shell, `pawl watch ${id}`))}`,
    ]);
  });
}

/** The arguments for the new process. Values are passed on as given, files by name, so that no content becomes visible. */
function wordsOf(place: Place, id: string, { given, file }: BackgroundRun): string[] {
  return [
    'run',
    // A settings file can define several workflows, so only the name identifies one.
    isSettingsFile(place.project, file) ? given.word('WORKFLOW') : file,
    ...['--id', id, '--wait', '--db', place.file, '--project', place.project.root],
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
