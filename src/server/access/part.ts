// Mounts access in the server: its tables, and its routes with their scopes.

import type { ServerPart } from '../services.ts';
import { AUTH, mountAuth } from './auth-routes.ts';
import { DECIDE, mountDecide } from './decide/routes.ts';
import { mountGuard } from './guard.ts';
import { mountPeople, PEOPLE } from './people-routes.ts';
import { ACCESS_TABLES } from './tables.ts';

/** The part for access: logins, people, tokens, passkeys, links for decisions. */
export const ACCESS: ServerPart = {
  name: 'access',
  routes: [...Object.values(AUTH), ...Object.values(PEOPLE), ...Object.values(DECIDE)],
  tables: ACCESS_TABLES,
  guard: mountGuard,
  mount: (app, services) => {
    mountAuth(app, services);
    mountPeople(app, services);
    mountDecide(app, services);
  },
};
