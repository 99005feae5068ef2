// `pawl watch`: follows a run that another process drives, or all open runs. It never drives a run, and ending it changes nothing.

import { agoText, clockText } from '../../control/time-text.ts';
import { isSettled, type RunStatus } from '../../definition/run-status.ts';
import type { RunSummary, Store } from '../../store/store.ts';
import type { CommandRun } from '../command.ts';
import { reportEnd } from '../drive.ts';
import { EXIT_INTERRUPTED } from '../interrupt.ts';
import { Screen } from '../progress/screen.ts';
import { openProgress, transcriptsFor } from '../progress/view.ts';
import { findRun, findSetup, type OpenRun, openExisting } from '../session.ts';
import type { Shell } from '../shell.ts';
import { statusText } from '../status.ts';
import { oneLine, table } from '../terminal.ts';

const OPEN: readonly RunStatus[] = ['pending', 'running', 'waiting'];
const TICK_MS = 1000;

/** Runs the command. */
export const run: CommandRun = async (shell, args) => {
  const setup = await findSetup(shell, args);
  const prefix = args.maybe('RUN');
  await using store = await openExisting(setup, prefix);
  if (store === undefined) return shell.result({ runs: [] }, () => ['No runs yet. "pawl run WORKFLOW" starts one.']);
  const stop = stopSignal(shell);
  if (prefix === undefined) return await watchAll(shell, store, stop);
  return await watchOne(shell, { store, id: await findRun(store, prefix, setup) }, stop);
};

function stopSignal(shell: Shell): AbortSignal {
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => interrupted.abort());
  return AbortSignal.any([interrupted.signal, shell.closed]);
}

async function watchOne(shell: Shell, { store, id }: Pick<OpenRun, 'store' | 'id'>, stop: AbortSignal): Promise<number> {
  const ended = new AbortController();
  const view = openProgress(shell, store, {
    run: id,
    transcripts: await transcriptsFor(shell),
    onChange: () => {
      if (isSettled(view.node.progress.status)) ended.abort();
    },
  });
  await aborted(AbortSignal.any([ended.signal, stop]));
  await view.end();
  if (!ended.signal.aborted && !shell.wantsJson) return EXIT_INTERRUPTED;
  const exit = await reportEnd(shell, { store, run: id });
  return ended.signal.aborted ? exit : EXIT_INTERRUPTED;
}

/** Shows all open runs until Ctrl-C; with --json, prints their current state once. */
async function watchAll(shell: Shell, store: Store, stop: AbortSignal): Promise<number> {
  const read = (): Promise<readonly RunSummary[]> => store.list({ status: OPEN });
  if (shell.wantsJson) {
    const rows = (await read()).map(({ id, workflow, status, currentStep = null }) => ({ id, workflow, status, currentStep }));
    return shell.result({ runs: rows }, () => []);
  }
  const show = shell.display.isTerminal ? tableView(shell) : lineView(shell);
  let reading: Promise<void> = Promise.resolve();
  const update = (): void => {
    reading = reading.then(async () => {
      if (!stop.aborted) show(await read());
    });
  };
  const unfollow = store.follow(update);
  const timer = shell.display.isTerminal ? setInterval(update, TICK_MS) : undefined;
  update();
  await aborted(stop);
  unfollow();
  clearInterval(timer);
  await reading;
  return EXIT_INTERRUPTED;
}

/** Settles when the signal is aborted; a timer keeps the process alive meanwhile. */
async function aborted(signal: AbortSignal): Promise<void> {
  const alive = setInterval(() => undefined, TICK_MS);
  await new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
    if (signal.aborted) resolve();
  });
  clearInterval(alive);
}

function tableView(shell: Shell): (runs: readonly RunSummary[]) => void {
  const screen = new Screen(shell);
  return (runs) => {
    const { columns, rows } = screen.size;
    const shown = runs.slice(0, rows - 3);
    const lines = table({ ...shell.display, columns: columns - 1 }, [
      { title: 'RUN', cells: shown.map(({ id }) => id) },
      { title: 'WORKFLOW', cells: shown.map(({ workflow }) => oneLine(workflow)), shrinks: 'name' },
      { title: 'STATUS', cells: shown.map(({ status }) => status), style: (cell, row) => statusText(shell, shown[row]?.status, cell) },
      { title: 'STEP', cells: shown.map(({ currentStep }) => oneLine(currentStep ?? '')), shrinks: 'name' },
      { title: 'CHANGED', cells: shown.map(({ updatedAt }) => agoText(updatedAt)) },
    ]);
    const hidden = runs.length - shown.length;
    const more = hidden === 0 ? [] : [shell.style('dim', `and ${hidden} more`)];
    screen.draw(runs.length === 0 ? ['No open runs.'] : [...lines, ...more]);
  };
}

/** Prints a line whenever a run's status or step changes, and a last one when it ends. */
function lineView(shell: Shell): (runs: readonly RunSummary[]) => void {
  const last = new Map<string, string>();
  const print = (at: number, text: string): void => shell.print(`${clockText(at)} ${text}`);
  return (runs) => {
    const open = new Set(runs.map(({ id }) => id));
    for (const id of last.keys())
      if (!open.has(id)) {
        last.delete(id);
        print(Date.now(), `${id} is no longer open`);
      }
    for (const { id, workflow, status, currentStep, updatedAt } of runs.toReversed()) {
      const text = `${id} ${oneLine(workflow)} ${status}${currentStep === undefined ? '' : ` at ${oneLine(currentStep)}`}`;
      if (last.get(id) !== text) print(updatedAt, text);
      last.set(id, text);
    }
  };
}
