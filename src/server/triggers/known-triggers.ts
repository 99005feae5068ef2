// Owns reading the triggers of the project once for many deliveries. Looking through its files takes longer than anything else
// that is done for a delivery that starts nothing, and deliveries come in bursts.

import type { Deliveries, StoredDelivery } from '../events/deliveries.ts';
import type { ServedProject, TriggeredWorkflow } from '../services.ts';

/** The workflows that events start, as they were when a delivery came or later. */
export type KnownTriggers = (delivery: StoredDelivery) => Promise<readonly TriggeredWorkflow[]>;

/** Creates the reader. What was read counts for deliveries that came before, while the same batch of them is acted on. */
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
