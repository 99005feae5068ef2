// Owns the part of the server that shows runs at the forge.

import type { Deliveries } from '../events/deliveries.ts';
import { clockOf } from '../events/event-settings.ts';
import type { EventServices } from '../events/events.ts';
import type { ServerPart, Services } from '../services.ts';
import { eventOf } from '../triggers/received-event.ts';
import { RunSurface, type SurfaceParts } from './run/surface.ts';
import { SURFACE_TABLES } from './tables.ts';

/** Comments and checks of runs at the forge. */
export const SURFACE: ServerPart = {
  name: 'surface',
  routes: [],
  tables: SURFACE_TABLES,
  mount: (_app, services) => mountSurface(services),
};

function mountSurface(services: Services): void {
  const surface = openSurface(services, services.deliveries, (run) => {
    const address = services.publicAddress();
    return address === undefined ? undefined : `${address}/runs/${run}`;
  });
  if (surface === undefined) return;
  services.onClose(() => surface.close());
  void surface.ring();
}

/** Shows the runs of a project at its forge; undefined if it has no forge, or shows nothing there. */
export function openSurface(
  { engine, database, events, warn }: EventServices,
  deliveries: Deliveries,
  link: SurfaceParts['link'],
): RunSurface | undefined {
  const { forge, surface: settings } = events.forge ?? {};
  if (forge === undefined || settings === undefined) return undefined;
  const surface = new RunSurface({ forge, settings, store: engine.store, database, clock: clockOf(events), link, warn });
  // A new head or a refused command can make the comment out of date.
  deliveries.listen((delivery) => {
    if (delivery.route !== forge.name) return;
    const { pr, event } = eventOf(delivery);
    if (pr !== undefined && event.startsWith('pull_request.')) surface.rows.markStale(pr);
    void surface.ring();
  });
  return surface;
}
