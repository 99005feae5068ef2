// Owns driving a run for the agent that does its work: without a word, until something is open for the agent, or until
// nothing but somebody else or a later time moves the run on.

import type { Engine } from '../../api/engine.ts';
import { isEngineError } from '../../base/error.ts';
import { isSettled } from '../../kernel/run-state.ts';
import { pasteable } from '../caller.ts';
import { catchInterrupts } from '../interrupt.ts';
import { readIdle } from '../progress/idle.ts';
import type { Shell } from '../shell.ts';

/** How long a command waits by itself for something that is due. */
const SOON_MS = 60_000;

/** A time that does not come; a timer for it keeps the process while only another process, or a promise, is waited for. */
const NEVER_MS = 2 ** 31 - 1;

/** Keeps the process until something is through. */
export async function keptAwake<T>(work: Promise<T>): Promise<T> {
  const timer = setInterval(() => undefined, NEVER_MS);
  try {
    return await work;
  } finally {
    clearInterval(timer);
  }
}

/** Drives a run to where it rests; gives false when a signal stopped it. */
export function driveQuietly(shell: Shell, engine: Engine, run: string): Promise<boolean> {
  return keptAwake(drive(shell, engine, run));
}

async function drive(shell: Shell, engine: Engine, run: string): Promise<boolean> {
  const interrupt = catchInterrupts(engine, (text) => shell.warn(text));
  for (;;) {
    await Promise.race([engine.run(run).waitOnly('idle'), interrupt.stopped]).catch((error: unknown) => {
      if (!interrupt.isStopping) throw error;
    });
    if (interrupt.isStopping) {
      await interrupt.stopped;
      shell.warn(`run ${run} is stopped where it was; "${pasteable(shell, `pawl resume ${run}`)}" drives it on`);
      return false;
    }
    const { runs, waits, due } = await readIdle(engine.store, run);
    const isOver = runs.length === 0 || runs.some(({ state }) => state.id === run && isSettled(state.status));
    if (isOver || waits.some(({ wait }) => wait.kind === 'report')) return true;
    if (due === undefined || due.at - Date.now() > SOON_MS) return true;
    await Promise.race([untilTime(due.at), interrupt.stopped]);
    if (!interrupt.isStopping) await takeUp(engine, due.run);
  }
}

function untilTime(at: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, Math.max(0, at - Date.now()));
  });
}

/** Drives a run on whose time has come, unless somebody else was quicker. */
async function takeUp(engine: Engine, run: string): Promise<void> {
  const { state } = await engine.store.load(run);
  if (state.paused || isSettled(state.status)) return;
  try {
    await engine.run(run).resume();
  } catch (error) {
    if (!isEngineError(error) || !['RUN_LOCKED', 'ENGINE_CLOSED', 'RUN_FINAL'].includes(error.code)) throw error;
  }
}
