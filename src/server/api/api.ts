// Owns the part of the server that is about runs: mounts every route of `/api/v1` that `routes.ts` declares.

import { openApiOf } from '../openapi.ts';
import { handle } from '../route.ts';
import type { ServerPart } from '../services.ts';
import { mountActs } from './acts.ts';
import { mountEvents } from './events.ts';
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
