// Owns reading the triggers of the project once for many deliveries. For a delivery that starts nothing, reading the files takes
// longer than everything else, and deliveries come in bursts.

import type { Deliveries, StoredDelivery } from '../events/deliveries.ts';
import type { ServedProject, TriggeredWorkflow } from '../services.ts';

/** The workflows that events start, as they were when a delivery arrived, or later. */
export type KnownTriggers = (delivery: StoredDelivery) => Promise<readonly TriggeredWorkflow[]>;

/** Creates the reader. What it read is used again for deliveries of the same batch that arrived before it was read. */
export function knownTriggers(project: ServedProject, deliveries: Deliveries, now: () => number): KnownTriggers {
  let known: { readonly batch: number; readonly at: number; readonly found: readonly TriggeredWorkflow[] } | undefined;
  return async ({ receivedAt }) => {
    const { batch } = deliveries;
    if (known !== undefined && known.batch === batch && receivedAt < known.at) return known.found;
    const at = now();
    const found = (await project.triggered?.()) ?? [];
    known = { batch, at, found };
    return found;
  };
}
