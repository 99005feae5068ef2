// Owns the health probes and the pages of the dashboard. Every path without another route is a page of the app, which has its
// own router.

import { health } from '../contract/project.ts';
import { handle, type Route } from '../route.ts';
import type { ServerPart } from '../services.ts';
import { PageFiles } from './files.ts';

const ROUTES = {
  alive: { method: 'GET', path: '/healthz', scope: 'public', summary: 'whether the process answers', answer: health },
  ready: { method: 'GET', path: '/readyz', scope: 'public', summary: 'whether its database answers', answer: health },
  // The code of the dashboard is public; the data that it shows is not.
  asset: { method: 'GET', path: '/assets/*', scope: 'public', summary: 'code of the dashboard', content: 'text/javascript' },
  page: { method: 'GET', path: '/*', scope: 'view', summary: 'a page of the dashboard', content: 'text/html' },
} as const satisfies Record<string, Route>;

/** Paths that are not pages, so that a wrong one is an error instead of the app. */
const NO_PAGE = /^\/(?:api|auth|hooks|d|assets|metrics)(?:\/|$)/;

/** The pages. */
export const PAGES: ServerPart = {
  name: 'pages',
  routes: Object.values(ROUTES),
  mount: (app, services) => {
    const at = { app, repeats: services.repeats };
    const files = new PageFiles(services.pages);
    handle(at, ROUTES.alive, async () => ({ status: 'ok' }) as const);
    handle(at, ROUTES.ready, async () => {
      await services.store.nextDue();
      return { status: 'ok' } as const;
    });
    handle(at, ROUTES.asset, async ({ c }) => (await files.response(c.req.path, c.req.header('accept-encoding'))) ?? c.notFound());
    handle(at, ROUTES.page, async ({ c }) => {
      if (NO_PAGE.test(c.req.path)) return c.notFound();
      const accepted = c.req.header('accept-encoding');
      return (await files.response(c.req.path, accepted)) ?? (await files.response('/index.html', accepted)) ?? NOT_BUILT();
    });
  },
};

const NOT_BUILT = (): Response =>
  new Response('The dashboard is not built here. The API is at /api/v1; /api/v1/openapi.json describes it.\n', {
    headers: { 'content-type': 'text/plain; charset=utf-8' },
  });
