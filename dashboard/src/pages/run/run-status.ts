// Interprets the status of a run or a step.

const OPEN_STEP = ['running', 'waiting', 'verifying', 'queued'];
const FINAL = ['completed', 'overridden', 'rejected', 'cancelled'];

/** True if nothing can happen to the run any more. */
export function isFinal(status: string): boolean {
  return FINAL.includes(status);
}

/** Whether a step has begun and not ended. */
export function isOpenStep(status: string): boolean {
  return OPEN_STEP.includes(status);
}

/** True if a person has to choose how the run continues. */
export function isHalted(status: string): boolean {
  return status === 'failed' || status === 'escalated';
}
