// Owns the states of a run as users see them, and what each means for whoever drives it or waits for it.

/** The states of a run as users see them. `overridden` is completed after a person skipped or accepted something by hand. */
export type RunStatus = 'pending' | 'running' | 'waiting' | 'completed' | 'overridden' | 'failed' | 'escalated' | 'rejected' | 'cancelled';

/** True when nothing can change the run any more. */
export function isFinal(status: RunStatus): boolean {
  return isDone(status) || status === 'rejected' || status === 'cancelled';
}

/** True when the run ended well, with or without something that a person let pass by hand. */
export function isDone(status: RunStatus): boolean {
  return status === 'completed' || status === 'overridden';
}

/** True when the run stands still until somebody resumes it. */
export function isHalted(status: RunStatus): boolean {
  return status === 'failed' || status === 'escalated';
}

/** True when the run has ended one way or the other, for whoever drives it. */
export function isSettled(status: RunStatus): boolean {
  return isFinal(status) || isHalted(status);
}
