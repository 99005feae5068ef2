// Owns how the states of runs and steps are shown: colour, symbol, and the exit code of a command that ends with a run.

import type { RunStatus } from '../kernel/run-state.ts';
import type { Shell } from './shell.ts';
import type { StyleName, SymbolName } from './terminal.ts';

/** A state of a run or of a step. */
export type AnyStatus = RunStatus | 'queued' | 'verifying' | 'skipped' | 'unknown';

const LOOKS: Readonly<Record<AnyStatus, readonly [StyleName, SymbolName]>> = {
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
  return status === undefined ? text : shell.style(LOOKS[status][0], text);
}

/** The symbol of a state, in its colour. */
export function statusMark(shell: Shell, status: AnyStatus): string {
  return statusText(shell, status, shell.symbol(LOOKS[status][1]));
}

/** The exit code of a command that ends with a run in this state. */
export function exitOf(status: RunStatus): number {
  switch (status) {
    case 'completed':
    case 'overridden':
      return 0;
    case 'failed':
    case 'rejected':
    case 'cancelled':
      return 1;
    case 'escalated':
      return 8;
    case 'pending':
    case 'running':
    case 'waiting':
      return 3;
  }
}
