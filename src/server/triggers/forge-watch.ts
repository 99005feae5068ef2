// Receives events without a public address: it polls the forge and stores each event as a delivery, and then the cursor
// after it. Events that happened while no server ran are found at the next start.

import { randomUUID } from 'node:crypto';
import type { ForgeEvent } from '../../forge/forge.ts';
import type { Deliveries } from '../events/deliveries.ts';
import type { ForgeEventSettings } from '../events/event-settings.ts';
import type { Services } from '../services.ts';
import { keyOfEvent, SOURCE_HEADER } from './received-event.ts';

/** Watches the forge. Gates check once at the start, since events may have been missed. Returns a stop function. */
export function watchForge(
  { database, warn }: Pick<Services, 'database' | 'warn'>,
  deliveries: Deliveries,
  { forge, onEvent }: ForgeEventSettings,
): () => void {
  const stored = database.get('SELECT cursor FROM forge_cursors WHERE forge = ?', forge.name)?.cursor;
  const store = (cursor: string): void => void database.insert('forge_cursors', { forge: forge.name, cursor }, 'replace');
  const safely = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      warn(error);
    }
  };
  // A failure here loses no event: its cursor is stored only after it.
  const receive = (event: ForgeEvent): void =>
    safely(() => {
      deliveries.receive(deliveryOfEvent(forge.name, event));
      if (event.cursor !== undefined) store(event.cursor);
    });
  onEvent?.({ id: `started/${randomUUID()}`, event: 'started', at: Date.now() });
  return forge.watch(receive, stored === undefined ? { begun: (cursor) => safely(() => store(cursor)) } : { after: String(stored) });
}

/** The delivery of an event that was found by polling. */
export function deliveryOfEvent(route: string, { cursor: _, ...event }: ForgeEvent): Parameters<Deliveries['receive']>[0] {
  return {
    route,
    id: event.id,
    event: event.event,
    headers: { [SOURCE_HEADER]: 'watch' },
    body: { ...event },
    key: keyOfEvent(event),
  };
}
