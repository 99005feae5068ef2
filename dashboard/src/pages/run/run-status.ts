// Owns what a status of a run allows.

const FINAL = ['completed', 'overridden', 'rejected', 'cancelled'];

/** True if nothing can happen to the run any more. */
export function isFinal(status: string): boolean {
  return FINAL.includes(status);
}

/** True if a person has to choose how the run continues. */
export function isHalted(status: string): boolean {
  return status === 'failed' || status === 'escalated';
}
