// Owns the part of the server for runs: mounts every route of `/api/v1` that `routes.ts` declares, and finds the position
// from which an event stream continues.

import { EngineError } from '../../base/error.ts';
import { openApiOf } from '../openapi.ts';
import { handle, type ServerApp, type ServerContext } from '../route.ts';
import type { ServerPart, Services } from '../services.ts';
import { mountActs } from './acts.ts';
import { mountProject } from './project.ts';
import { API_ROUTES } from './routes.ts';
import { mountRuns } from './runs.ts';

/** The API of runs. */
export const API: ServerPart = {
  name: 'api',
  routes: Object.values(API_ROUTES),
  mount: (app, services) => {
    mountRuns(app, services);
    mountActs(app, services);
    mountEvents(app, services);
    mountProject(app, services);
    handle({ app, repeats: services.repeats }, API_ROUTES.openapi, async () => {
      return Response.json(openApiOf(services.routes, services.version));
    });
  },
};

function mountEvents(app: ServerApp, { repeats, streams }: Services): void {
  const target = { app, repeats };
  handle(target, API_ROUTES.events, ({ c, caller, param, query }) => streams.ofRun(caller, param('id'), positionOf(c, query.after)));
  handle(target, API_ROUTES.allEvents, async ({ c, caller, query }) => streams.ofAll(caller, positionOf(c, query.after)));
}

/** The last position that a client received: a browser sends the id of its last event when it reconnects. */
function positionOf(c: ServerContext, after: number | undefined): number | undefined {
  const header = c.req.header('last-event-id');
  if (header === undefined || header === '') return after;
  const position = Number(header);
  if (Number.isSafeInteger(position) && position >= 0) return position;
  throw new EngineError('REQUEST_INVALID', `"Last-Event-ID" must be the id of an event of this stream, not "${header}"`);
}
