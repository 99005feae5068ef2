// Owns the colour and the symbol of each state of a run or step, and the exit code of a command that ends with a run.

import { isSettled, type RunStatus } from '../definition/run-status.ts';
import type { TreeWait } from '../engine/run-tree.ts';
import type { Shell } from './shell.ts';
import type { StyleName, SymbolName } from './terminal.ts';

/** A state of a run or of a step. */
export type AnyStatus = RunStatus | 'queued' | 'verifying' | 'skipped' | 'unknown';

const STATUS_STYLES: Readonly<Record<AnyStatus, readonly [StyleName, SymbolName]>> = {
  pending: ['dim', 'pending'],
  queued: ['dim', 'pending'],
  running: ['cyan', 'running'],
  verifying: ['cyan', 'running'],
  waiting: ['yellow', 'waiting'],
  completed: ['green', 'done'],
  overridden: ['yellow', 'done'],
  failed: ['red', 'failed'],
  escalated: ['red', 'failed'],
  rejected: ['red', 'failed'],
  cancelled: ['dim', 'skipped'],
  skipped: ['dim', 'skipped'],
  unknown: ['yellow', 'waiting'],
};

/** The text in the colour of a state. */
export function statusText(shell: Shell, status: AnyStatus | undefined, text: string = status ?? ''): string {
  return status === undefined ? text : shell.style(STATUS_STYLES[status][0], text);
}

/** The symbol of a state, in its colour. */
export function statusMark(shell: Shell, status: AnyStatus): string {
  return statusText(shell, status, shell.symbol(STATUS_STYLES[status][1]));
}

/** The exit code of a command whose run waits for something. */
export const EXIT_WAITING = 3;
const EXIT_BUDGET = 5;
const EXITS: Readonly<Record<RunStatus, number>> = {
  ...{ pending: EXIT_WAITING, running: EXIT_WAITING, waiting: EXIT_WAITING },
  ...{ completed: 0, overridden: 0, failed: 1, rejected: 1, cancelled: 1, escalated: 8 },
};

/** The exit code of a command that ends with a run in this state. */
export function exitOf(status: RunStatus): number {
  return EXITS[status];
}

/** The exit code of a command that ends with a run; waiting only for a budget or quota has its own code. */
export function exitOfWaits(status: RunStatus, waits: readonly TreeWait[]): number {
  const isUsedUp =
    waits.length > 0 && waits.every(({ wait }) => wait.kind === 'budget' || (wait.kind === 'capacity' && wait.due !== undefined));
  return isUsedUp && !isSettled(status) ? EXIT_BUDGET : exitOf(status);
}
