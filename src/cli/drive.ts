// Drives a run for a command: continues while something executes or is due soon, asks the person at the terminal when only
// approvals are pending, stops on signals, and ends with the run's report and exit code.

import type { Engine } from '../api/engine.ts';
import type { AnyWorkflow } from '../api/engine-options.ts';
import { changeOrTime, isUndriven, resumeUndriven } from '../api/undriven.ts';
import { isEngineError, messageOf } from '../base/error.ts';
import { omitUndefined } from '../base/fields.ts';
import { readRunReport, shownValues } from '../control/run/report.ts';
import { isSettled } from '../definition/run-status.ts';
import { type RunTree, readRunTree } from '../engine/run-tree.ts';
import { statusOf } from '../engine/status.ts';
import type { Store } from '../store/store.ts';
import { assertSettingsTrusted, openForge } from './forge/session.ts';
import { catchInterrupts, EXIT_INTERRUPTED, type Interrupt } from './interrupt.ts';
import { openEngine } from './open-engine.ts';
import { endLines } from './progress/end.ts';
import { openProgress, type ProgressView, transcriptsFor } from './progress/view.ts';
import { tryRight } from './right.ts';
import { findSetup, type Setup } from './session.ts';
import type { Shell } from './shell.ts';
import { exitOfWaits } from './status.ts';

const SOON_MS = 60_000;
/** How often to check whether the process that drives the run is alive: its death sends no notification. */
const ALIVE_CHECK_MS = 2000;

/** A run to drive; with `wait`, until it has ended. */
export interface Drive {
  readonly engine: Engine;
  readonly run: string;
  readonly wait: boolean;
}

/** Drives a run, shows its progress, and returns the exit code. */
export async function driveRun(shell: Shell, drive: Drive): Promise<number> {
  const { engine, run } = drive;
  // Events from before this command were shown by another one.
  const view = openProgress(shell, engine.store, {
    run,
    transcripts: await transcriptsFor(shell),
    since: shell.context.startedAt ?? performance.timeOrigin,
  });
  const interrupt = catchInterrupts(engine, (text) => view.note(text));
  const supervision = supervise(drive, view);
  try {
    await driveUntilIdle(shell, drive, { view, interrupt });
  } finally {
    supervision.stop();
    interrupt.release();
    await view.end();
  }
  return reportEnd(shell, { store: engine.store, run, interrupted: interrupt.isStopping });
}

interface EndedDrive {
  readonly store: Store;
  readonly run: string;
  readonly interrupted?: boolean;
}

/** Prints the status of a run and what to do next, and returns the exit code. */
export async function reportEnd(shell: Shell, { store, run, interrupted = false }: EndedDrive): Promise<number> {
  const [report, tree, { state }] = await Promise.all([
    readRunReport(store, run, shell.wantsJson ? undefined : shownValues),
    readRunTree(store, run),
    store.load(run),
  ]);
  const isUnfinished = interrupted && !isSettled(state.status);
  shell.result(report, () => endLines(shell, { report, state, tree, interrupted: isUnfinished }));
  return isUnfinished ? EXIT_INTERRUPTED : exitOfWaits(statusOf(state), tree.waits);
}

/** Opens an engine while `use` runs. Signals stop it as soon as it is open. */
export async function withEngine<T>(
  shell: Shell,
  setup: Setup,
  parts: { readonly store: Store; readonly workflows: readonly AnyWorkflow[]; readonly use: (engine: Engine) => Promise<T> },
): Promise<T> {
  await assertSettingsTrusted(shell, setup);
  const forge = await openForge(shell, setup);
  const engine = await openEngine(shell, setup, { ...parts, ...omitUndefined({ forge }) });
  const interrupt = catchInterrupts(engine, (text) => shell.warn(text));
  try {
    return await parts.use(engine);
  } finally {
    await engine.close();
    await forge?.close();
    interrupt.release();
  }
}

/** Like `withEngine`, for a command with an exit code; it is "interrupted" if a signal closed the engine early. */
export function driveWithEngine(shell: Shell, setup: Setup, parts: Parameters<typeof withEngine<number>>[2]): Promise<number> {
  const use = async (engine: Engine): Promise<number> => {
    try {
      return await parts.use(engine);
    } catch (error) {
      if (!catchInterrupts(engine, (text) => shell.warn(text)).isStopping || !isClosed(error)) throw error;
      return EXIT_INTERRUPTED;
    }
  };
  return withEngine(shell, setup, { ...parts, use });
}

function isClosed(error: unknown): boolean {
  return isEngineError(error) && error.code === 'ENGINE_CLOSED';
}

async function driveUntilIdle(
  shell: Shell,
  drive: Drive,
  { view, interrupt }: { readonly view: ProgressView; readonly interrupt: Interrupt },
): Promise<void> {
  const { engine, run, wait } = drive;
  for (;;) {
    await waitUntilIdle(engine, run, interrupt);
    if (interrupt.isStopping) return interrupt.stopped;
    const tree = await readRunTree(engine.store, run);
    if (tree.runs.length === 0 || tree.runs.some(({ state }) => state.id === run && isSettled(state.status))) return;
    const needsDecision = tree.waits.length > 0 && tree.waits.every(({ wait: open }) => open.kind === 'human');
    // Ask only a caller who may decide.
    if (needsDecision && shell.isInteractive && (await tryRight(shell, { demand: 'decide', on: 'pawl decide' })) !== undefined) {
      const [{ decideOnTerminal }, setup] = await Promise.all([import('./decision/decision.ts'), findSetup(shell, shell.args)]);
      if ((await view.pauseFor(() => decideOnTerminal(shell, engine, { run, setup }))) === 'later') return;
      continue;
    }
    if (!wait && !isSoon(tree)) return;
    await changeOrTime(engine.store, tree.due?.at, interrupt.stopped);
    if (interrupt.isStopping) return interrupt.stopped;
    await resumeDue(engine, run);
  }
}

/**
 * Drives a run until it is settled, without showing progress. Waits for whatever is due later, such as the retry of an undo.
 * Returns whether a signal came first.
 */
export async function driveUntilSettled(shell: Shell, { engine, run }: Pick<Drive, 'engine' | 'run'>): Promise<boolean> {
  const interrupt = catchInterrupts(engine, (text) => shell.warn(text));
  for (;;) {
    await waitUntilIdle(engine, run, interrupt);
    if (interrupt.isStopping) break;
    const [{ state }, { due }] = await Promise.all([engine.store.load(run), readRunTree(engine.store, run)]);
    if (isSettled(state.status)) return false;
    await changeOrTime(engine.store, due?.at, interrupt.stopped);
    if (interrupt.isStopping) break;
    await resumeDue(engine, run);
  }
  await interrupt.stopped;
  return true;
}

/** Whether a run soon continues by itself. A gate that polls the forge waits for reviews or CI, so it does not count. */
function isSoon({ due, waits }: RunTree): boolean {
  const isPolling = waits.length > 0 && waits.every(({ wait }) => wait.kind === 'checks');
  return due !== undefined && !isPolling && due.at - Date.now() <= SOON_MS;
}

/** Waits until nothing executes; an engine closed by a signal is not an error. */
async function waitUntilIdle(engine: Engine, run: string, interrupt: Interrupt): Promise<void> {
  try {
    await Promise.race([engine.run(run).waitOnly('idle'), interrupt.stopped]);
  } catch (error) {
    if (!interrupt.isStopping || !isClosed(error)) throw error;
  }
}

async function resumeDue(engine: Engine, run: string): Promise<void> {
  const { runs, due } = await readRunTree(engine.store, run);
  if (due === undefined || due.at > Date.now()) return;
  const dueRun = runs.find(({ state }) => state.id === due.run);
  if (dueRun !== undefined && isUndriven(dueRun)) await resumeUndriven(engine, due.run);
}

/** Resumes runs of the tree that receive mail while no process drives them, and with `wait` those whose process died. */
function supervise({ engine, run, wait }: Drive, view: ProgressView): { stop(): void } {
  const check = async (only?: string): Promise<void> => {
    for (const treeRun of (await readRunTree(engine.store, run)).runs) {
      const { owner, state } = treeRun;
      const isChecked = only === undefined ? owner !== undefined : state.id === only;
      if (isChecked && isUndriven(treeRun)) await resumeUndriven(engine, state.id);
    }
  };
  const startCheck = (only?: string): void => void check(only).catch((error: unknown) => view.note(messageOf(error)));
  const unwatch = engine.store.watch(startCheck);
  const timer = wait ? setInterval(startCheck, ALIVE_CHECK_MS) : undefined;
  return {
    stop: () => {
      unwatch();
      clearInterval(timer);
    },
  };
}
