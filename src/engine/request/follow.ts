// Waits for a run in any process, and streams its progress. Nothing is polled: this engine's commits call back, and the
// store reports those of other processes.

import { REFUSED_ELSEWHERE } from '../../definition/outcome.ts';
import type { ProgressEvent } from '../../definition/result.ts';
import { createProgressEvent } from '../../definition/result.ts';
import { isDone, isFinal, isSettled } from '../../definition/run-status.ts';
import type { Activation, Path } from '../../kernel/activation.ts';
import { childOf } from '../../kernel/activation.ts';
import type { RunEvent } from '../../kernel/event.ts';
import type { RunState } from '../../kernel/run-state.ts';
import type { EngineCore } from '../engine.ts';
import { dueOf } from '../status.ts';

/**
 * `settled`: it ended or halted. `idle`: also when it waits. `outside`: also when it waits for something that needs a
 * person or program.
 */
export type WaitGoal = 'settled' | 'idle' | 'outside';

/** Resolves when the run has reached the given state. */
export async function waitFor(core: EngineCore, run: string, until: WaitGoal): Promise<void> {
  for (;;) {
    core.assertReadable();
    const driver = core.driverOf(run);
    if (driver !== undefined) {
      await driver.finished.catch(() => undefined);
      // A closed engine reports nothing more; otherwise the run may have gone on since.
      if (isFinal(driver.checkpoint.status)) return;
      const failure = core.failureOf(driver);
      if (failure === undefined || core.driverOf(run) !== undefined) continue;
      // Everyone who waited for this driver gets its error.
      core.takeFailure(run);
      throw failure;
    }
    const failure = core.takeFailure(run);
    if (failure !== undefined) throw failure;
    using changed = nextChange(core);
    const { state, owner } = await core.store.load(run);
    // A run that is due is about to be picked up.
    const due = dueOf(state);
    const sweep = due !== undefined && due <= core.clock.now() ? core.wakeUpTimer.swept : undefined;
    if (sweep !== undefined && owner === undefined && !isSettled(state.status)) {
      await sweep;
      continue;
    }
    const parked = until !== 'settled' && owner === undefined && (until === 'idle' || due === undefined);
    if (isSettled(state.status) || (parked && (await childrenIdle(core, state, until)))) return;
    await changed.happened;
  }
}

/** A parent is idle when its children are. A child that ended posted mail to its parent; one that escalated did not. */
async function childrenIdle(core: EngineCore, state: RunState, until: WaitGoal): Promise<boolean> {
  for (const activation of Object.values(state.live)) {
    const child = childOf(activation);
    // A child that was not started has nothing to wait for.
    if (child === undefined || (await core.store.resolve(child, 1)).length === 0) continue;
    await waitFor(core, child, until);
    const { status } = (await core.store.load(child)).state;
    if (isSettled(status) && status !== 'escalated') return false;
  }
  return (await core.store.inbox(state.id, 0)).length === 0;
}

/** Resolves at the next commit of any run, by this or another process, or when this engine closes. */
export function nextChange(core: EngineCore): Disposable & { readonly happened: Promise<void> } {
  let stop = (): void => undefined;
  const happened = new Promise<void>((resolve) => {
    const unlisten = core.listen(() => resolve());
    const unfollow = core.store.follow(() => resolve());
    const unclose = core.onClose(resolve);
    stop = () => {
      unclose();
      unlisten();
      unfollow();
    };
  });
  return { happened, [Symbol.dispose]: stop };
}

/** Streams the log of a run from a position on, until the run ends or the engine is closed. */
export async function* followLog(core: EngineCore, run: string, after = 0): AsyncGenerator<RunEvent> {
  core.assertReadable();
  let seq = after;
  let hasEnded = false;
  while (!core.isClosed) {
    using changed = nextChange(core);
    const rows = await core.store.events(run, seq);
    for (const row of rows) {
      seq = row.seq;
      yield* row.events;
    }
    if (rows.length > 0 || core.isClosed) continue;
    if (hasEnded) return;
    // The last events may have been written after the log was read: it is read once more.
    hasEnded = isSettled((await core.store.load(run)).state.status);
    if (!hasEnded) await changed.happened;
  }
}

/** Streams the progress of a run from start to end. */
export async function* followProgress(core: EngineCore, run: string): AsyncGenerator<ProgressEvent> {
  const open = new Map<Path, Activation>();
  let begunAt = 0;
  let name = '';
  for await (const event of followLog(core, run)) {
    if (event.type === 'run.started') {
      begunAt = event.at;
      name = event.run.workflow;
      yield createProgressEvent({ type: 'WorkflowStarted', workflowName: name, timestamp: event.at });
    } else if (event.type === 'run.changed' && (event.change === 'ended' || event.change === 'halted')) {
      yield createProgressEvent({
        type: 'WorkflowCompleted',
        workflowName: name,
        success: isDone(event.status),
        durationMs: event.at - begunAt,
        timestamp: event.at,
      });
    } else {
      const step = stepProgress(event, open);
      if (step !== undefined) yield step;
    }
  }
}

const UNSUCCESSFUL: ReadonlySet<string> = new Set(['fail', 'reject', 'error', 'timeout', 'cancelled', ...REFUSED_ELSEWHERE]);

function stepProgress(event: RunEvent, open: Map<Path, Activation>): ProgressEvent | undefined {
  if (event.type === 'step.opened' || event.type === 'step.reopened') {
    const { activation } = event;
    open.set(activation.path, activation);
    return createProgressEvent({ type: 'StepStarted', stepName: activation.step, stepType: activation.kind, timestamp: event.at });
  }
  if (event.type !== 'step.settled') return undefined;
  const activation = open.get(event.path);
  open.delete(event.path);
  if (activation === undefined) return undefined;
  // A custom outcome, such as a person's answer, is not a failure.
  const success = !UNSUCCESSFUL.has(event.outcome);
  return createProgressEvent({
    type: 'StepCompleted',
    stepName: activation.step,
    stepType: activation.kind,
    success,
    durationMs: event.at - activation.openedAt,
    timestamp: event.at,
  });
}
