// Owns the statuses of a run as users see them, and what each means for its driver and for callers that wait.

/** The states of a run as users see them. `overridden` is completed after a person skipped or accepted something manually. */
export type RunStatus = 'pending' | 'running' | 'waiting' | 'completed' | 'overridden' | 'failed' | 'escalated' | 'rejected' | 'cancelled';

/** True when nothing can change the run any more. */
export function isFinal(status: RunStatus): boolean {
  return isDone(status) || status === 'rejected' || status === 'cancelled';
}

/** True when the run succeeded, with or without overrides. */
export function isDone(status: RunStatus): boolean {
  return status === 'completed' || status === 'overridden';
}

/** True when the run is stopped until a person resumes it. */
export function isHalted(status: RunStatus): boolean {
  return status === 'failed' || status === 'escalated';
}

/** True when a driver has nothing left to do: the run has ended or halted. */
export function isSettled(status: RunStatus): boolean {
  return isFinal(status) || isHalted(status);
}
