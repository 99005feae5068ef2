// Owns the driving of a run by a command: it goes on while something executes or is due soon, asks the person at the
// terminal when only a person is missing, stops on signals, and ends with the run's story and exit code.

import type { AnyWorkflow, Engine } from '../api/engine.ts';
import { isEngineError } from '../base/error.ts';
import { type RunTree, readRunTree } from '../engine/run-tree.ts';
import { isSettled } from '../kernel/run-state.ts';
import { statusOf } from '../kernel/status.ts';
import { isDead } from '../process/owner.ts';
import type { Store } from '../store/store.ts';
import { assertSettingsTrusted, openForge } from './forge/session.ts';
import { catchInterrupts, EXIT_INTERRUPTED, type Interrupt } from './interrupt.ts';
import { openEngine } from './open-engine.ts';
import { endLines } from './progress/end.ts';
import { openProgress, type ProgressView } from './progress/view.ts';
import { tryRight } from './right.ts';
import type { Place } from './session.ts';
import type { Shell } from './shell.ts';
import { exitOfWaits } from './status.ts';
import { readStory } from './story/story.ts';

/** How long a command waits by itself for something that is due. */
const SOON_MS = 60_000;
/** How often a process that waits for another one looks whether that one is still alive; nothing tells its death. */
const LOOK_MS = 2000;
/** The longest time a timer of the platform can hold. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/** A run to drive. `wait`: until it has ended, whatever it waits for. */
export interface Drive {
  readonly engine: Engine;
  readonly run: string;
  readonly wait: boolean;
}

/** Drives a run, shows how it goes, and gives the exit code. */
export async function driveRun(shell: Shell, drive: Drive): Promise<number> {
  const { engine, run } = drive;
  // Whatever happened before this command began was shown by another.
  const view = openProgress(shell, engine.store, { run, since: shell.world.startedAt ?? performance.timeOrigin });
  const interrupt = catchInterrupts(engine, (text) => view.note(text));
  const tending = tend(drive, view);
  try {
    await followToRest(shell, drive, { view, interrupt });
  } finally {
    tending.stop();
    interrupt.release();
    await view.end();
  }
  return tellEnd(shell, engine.store, { run, interrupted: interrupt.isStopping });
}

/** Prints how a run stands and what comes next, and gives the exit code. */
export async function tellEnd(
  shell: Shell,
  store: Store,
  { run, interrupted }: { readonly run: string; readonly interrupted: boolean },
): Promise<number> {
  const [story, rest, { state }] = await Promise.all([readStory(store, run), readRunTree(store, run), store.load(run)]);
  const isCut = interrupted && !isSettled(state.status);
  shell.result(story, () => endLines(shell, { story, state, rest, interrupted: isCut }));
  return isCut ? EXIT_INTERRUPTED : exitOfWaits(statusOf(state), rest.waits);
}

/** Opens an engine for as long as something needs it. Signals stop it from the moment it can begin anything. */
export async function withEngine<T>(
  shell: Shell,
  place: Place,
  parts: { readonly store: Store; readonly workflows: readonly AnyWorkflow[]; readonly use: (engine: Engine) => Promise<T> },
): Promise<T> {
  await assertSettingsTrusted(shell, place);
  const forge = await openForge(shell, place);
  const engine = await openEngine(shell, place, { ...parts, ...(forge === undefined ? {} : { forge }) });
  const interrupt = catchInterrupts(engine, (text) => shell.warn(text));
  try {
    return await parts.use(engine);
  } finally {
    await engine.close();
    await forge?.close();
    interrupt.release();
  }
}

/** The same for a command that ends with an exit code: one that a signal stopped before it began was interrupted. */
export function driveWithEngine(shell: Shell, place: Place, parts: Parameters<typeof withEngine<number>>[2]): Promise<number> {
  const use = async (engine: Engine): Promise<number> => {
    try {
      return await parts.use(engine);
    } catch (error) {
      if (!catchInterrupts(engine, (text) => shell.warn(text)).isStopping || !isClosed(error)) throw error;
      return EXIT_INTERRUPTED;
    }
  };
  return withEngine(shell, place, { ...parts, use });
}

function isClosed(error: unknown): boolean {
  return isEngineError(error) && error.code === 'ENGINE_CLOSED';
}

async function followToRest(
  shell: Shell,
  drive: Drive,
  { view, interrupt }: { readonly view: ProgressView; readonly interrupt: Interrupt },
): Promise<void> {
  const { engine, run, wait } = drive;
  for (;;) {
    await untilIdle(engine, run, interrupt);
    if (interrupt.isStopping) return interrupt.stopped;
    const rest = await readRunTree(engine.store, run);
    if (rest.runs.length === 0 || rest.runs.some(({ state }) => state.id === run && isSettled(state.status))) return;
    const asks = rest.waits.length > 0 && rest.waits.every(({ wait: open }) => open.kind === 'human');
    // Whoever may not decide is not asked: the run waits for somebody who may.
    if (asks && shell.isInteractive && (await tryRight(shell, { demand: 'decide', on: 'pawl decide' })) !== undefined) {
      await view.rest();
      const { decideOnTerminal } = await import('./decision/decision.ts');
      if ((await decideOnTerminal(shell, engine, run)) === 'later') return;
      continue;
    }
    if (!wait && !isSoon(rest)) return;
    await Promise.race([changeOrTime(engine.store, rest.due?.at), interrupt.stopped]);
    if (interrupt.isStopping) return interrupt.stopped;
    await takeUpDue(engine, run);
  }
}

/** Whether a run goes on by itself soon. A gate that only looks again now and then waits for people or CI at the forge. */
function isSoon({ due, waits }: RunTree): boolean {
  const isForOthers = waits.length > 0 && waits.every(({ wait }) => wait.kind === 'checks');
  return due !== undefined && !isForOthers && due.at - Date.now() <= SOON_MS;
}

/** Waits until nothing executes; an engine that a signal has closed is no failure. */
async function untilIdle(engine: Engine, run: string, interrupt: Interrupt): Promise<void> {
  try {
    await Promise.race([engine.run(run).waitOnly('idle'), interrupt.stopped]);
  } catch (error) {
    if (!interrupt.isStopping || !isClosed(error)) throw error;
  }
}

/** Waits for a commit of any process, or for a time. */
function changeOrTime(store: Store, at: number | undefined): Promise<void> {
  return new Promise((resolve) => {
    // A timer alone keeps the process, also where the store has nothing to watch yet.
    const ms = Math.min(TIMER_MS_MAX, Math.max(0, (at ?? Number.POSITIVE_INFINITY) - Date.now()));
    const timer = setTimeout(() => done(), ms);
    const unfollow = store.follow(() => done());
    const done = (): void => {
      clearTimeout(timer);
      unfollow();
      resolve();
    };
  });
}

/** Drives the runs of the tree whose time has come. */
async function takeUpDue(engine: Engine, run: string): Promise<void> {
  const { runs, due } = await readRunTree(engine.store, run);
  if (due === undefined || due.at > Date.now()) return;
  const one = runs.find(({ state }) => state.id === due.run);
  if (one !== undefined) await takeUp(engine, one);
}

/** Drives a run on that nobody drives. A paused or stopped one goes on only when a person says so. */
async function takeUp(engine: Engine, { state, owner }: RunTree['runs'][number]): Promise<void> {
  if (state.paused || isSettled(state.status) || (owner !== undefined && !isDead(owner))) return;
  try {
    await engine.run(state.id).resume();
  } catch (error) {
    // Somebody was quicker, or the engine is being closed: either way it is not ours to drive.
    if (!isEngineError(error) || !['RUN_LOCKED', 'ENGINE_CLOSED', 'RUN_FINAL'].includes(error.code)) throw error;
  }
}

/** Takes up runs of the tree that got mail while nobody drove them, and with `wait` those whose process died. */
function tend({ engine, run, wait }: Drive, view: ProgressView): { stop(): void } {
  const look = async (only?: string): Promise<void> => {
    for (const one of (await readRunTree(engine.store, run)).runs)
      if (only === undefined ? one.owner !== undefined && isDead(one.owner) : one.state.id === only) await takeUp(engine, one);
  };
  const lookSoon = (only?: string): void => {
    look(only).catch((error: unknown) => view.note(error instanceof Error ? error.message : String(error)));
  };
  const unwatch = engine.store.watch(lookSoon);
  const timer = wait ? setInterval(lookSoon, LOOK_MS) : undefined;
  return {
    stop: () => {
      unwatch();
      clearInterval(timer);
    },
  };
}
