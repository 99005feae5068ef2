// Owns how a run stands for the agent that works on it: the steps that are open for it, what the run waits for
// otherwise, and how it ended. A run that starts others is told together with them.

import type { Engine } from '../api/engine.ts';
import type { Handout } from '../engine/reports.ts';
import { dueOf, isSettled, type RunState, type RunStatus } from '../kernel/run-state.ts';
import { type OpenWait, statusOf, waitsOf } from '../kernel/status.ts';
import { liveRuns } from './live-runs.ts';

/** How a run stands. */
export interface Standing {
  readonly run: string;
  readonly workflow: string;
  readonly status: RunStatus;
  /** The position of the log; it grows with everything that happens. */
  readonly seq: number;
  /** The steps that are open for the agent. */
  readonly handouts: readonly Handout[];
  /** What else it waits for, and what the runs below it do. */
  readonly waits: readonly OpenWait[];
  /** True while something executes. */
  readonly isAtWork: boolean;
  /** When the run, or one below it, goes on by itself. */
  readonly due?: number;
  readonly problem?: string;
}

/** Reads how a run stands. */
export async function readStanding(engine: Engine, run: string): Promise<Standing> {
  const { state } = await engine.store.load(run);
  const live = await liveRuns(engine.store, run);
  const handouts = await Promise.all(live.filter(({ state: one }) => isOpen(one)).map(({ state: one }) => engine.run(one.id).handouts()));
  const waits = live.flatMap(({ state: one }) => waitsOf(one)).filter(({ kind }) => kind !== 'report' && kind !== 'child');
  const dues = live.flatMap(({ state: one }) => (isSettled(one.status) ? [] : [dueOf(one) ?? Number.POSITIVE_INFINITY]));
  const due = Math.min(...dues, Number.POSITIVE_INFINITY);
  const problem = state.halt?.message;
  return {
    run,
    workflow: state.workflow,
    status: statusOf(state),
    seq: live.reduce((sum, { state: one }) => sum + one.seq, state.seq),
    handouts: handouts.flat(),
    waits,
    isAtWork: live.some(({ state: one }) => statusOf(one) === 'running'),
    ...(Number.isFinite(due) ? { due } : {}),
    ...(problem === undefined ? {} : { problem }),
  };
}

/** Whether work of a run can be reported: one that halted or was paused stands still until a person says how it goes on. */
function isOpen({ status, paused }: RunState): boolean {
  return !isSettled(status) && !paused;
}
