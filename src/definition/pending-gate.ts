// Owns how a run says what a pending gate waits for: the gate writes it, and whoever shows the run reads it.

import { isJsonObject, type Json } from '../base/json.ts';

/** The name under which a run keeps the last look of a pending gate. */
export function lookKey(path: string): string {
  return `$look:${path}`;
}

/** What the pending checks of a gate wait for, as its last look found it: `ci_status: it waits for test (queued)`. */
export function pendingText(look: Json | undefined): string | undefined {
  return isJsonObject(look) && typeof look.pending === 'string' ? look.pending : undefined;
}
