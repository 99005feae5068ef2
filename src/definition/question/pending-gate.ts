// Owns the text about what a pending gate waits for: the gate stores the data, and views of the run read it.

import { isJsonObject, type Json } from '../../base/json.ts';

/** The data key for the last check results of a pending gate. */
export function gateProgressKey(path: string): string {
  return `$look:${path}`;
}

/** What the pending checks of a gate wait for, from its last results: `ci_status: it waits for test (queued)`. */
export function pendingText(look: Json | undefined): string | undefined {
  return isJsonObject(look) && typeof look.pending === 'string' ? look.pending : undefined;
}
