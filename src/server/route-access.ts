// Owns the table of all routes with the scope that each one needs; a route without a row is denied. Also owns the methods
// of a path, for OPTIONS and for unsupported methods.
//
// SV1. Only a caller with its scope can reach a route; a route that no part declares cannot be reached.

import type { MiddlewareHandler } from 'hono';
import { matchedRoutes } from 'hono/route';
import { EngineError } from '../base/error.ts';
import type { Caller } from './caller.ts';
import type { MachinePaths } from './machine-paths.ts';
import { problemResponse } from './problem.ts';
import { loginRequired, type Route, type ServerContext, type ServerVariables } from './route.ts';

type Guard = MiddlewareHandler<{ Variables: Partial<ServerVariables> }>;

/** Middleware that rejects a request whose caller lacks the scope of its route (SV1). */
export function requireScope(routes: readonly Route[]): Guard {
  const rows = new Map(routes.map((route) => [`${route.method} ${route.path}`, route]));
  return async (c, next) => {
    const route = matchedRoutes(c).find(({ method }) => method !== 'ALL');
    if (route === undefined) return next();
    const row = rows.get(`${route.method} ${route.path}`);
    if (row === undefined) throw new EngineError('NOT_ALLOWED', `${route.method} ${route.path} is not in the table of routes`);
    assertScope(c.get('caller'), row);
    return next();
  };
}

function assertScope(caller: Caller | undefined, { scope, method, path }: Route): void {
  if (scope === 'public') return;
  if (caller === undefined) throw loginRequired();
  if (!caller.scopes.has(scope))
    throw new EngineError('NOT_ALLOWED', `${method} ${path} needs the scope "${scope}", which ${caller.name} does not have`, {
      details: { scope },
    });
}

/** Answers OPTIONS, and rejects methods that a path does not have. */
export class Methods {
  private readonly paths: readonly { readonly pattern: RegExp; readonly method: string }[];

  private readonly machinePaths: MachinePaths;

  constructor(routes: readonly Route[], machinePaths: MachinePaths) {
    this.machinePaths = machinePaths;
    this.paths = routes
      .filter(({ path }) => path !== '/*')
      .map(({ method, path }) => ({ method, pattern: new RegExp(`^${path.replace(/:\w+/g, '[^/]+').replace(/\/\*$/, '/.*')}$`) }));
  }

  /** The methods of a path, for the Allow header; undefined for an unknown path. */
  allowed(path: string): string | undefined {
    const found = new Set(this.paths.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method));
    if (found.size === 0) return undefined;
    return [...(found.has('GET') ? ['GET', 'HEAD'] : []), ...[...found].filter((method) => method !== 'GET'), 'OPTIONS'].join(', ');
  }

  /** Answers OPTIONS. Other sites have no access: the server never sends a CORS header. */
  readonly options: Guard = async (c, next) => {
    if (c.req.method !== 'OPTIONS') return next();
    const allow = this.allowed(c.req.path) ?? 'GET, HEAD, OPTIONS';
    return new Response(null, { status: 204, headers: { allow } });
  };

  /** The response for an unknown path, or for a method that a path does not have. */
  readonly missing = (c: ServerContext): Response => {
    const allow = this.allowed(c.req.path);
    if (allow !== undefined && !allow.split(', ').includes(c.req.method))
      return problemResponse(
        new EngineError('METHOD_REFUSED', `${c.req.path} does not accept ${c.req.method}; it accepts ${allow}`, { details: { allow } }),
        this.machinePaths,
        { allow },
      );
    return problemResponse(
      new EngineError('ROUTE_UNKNOWN', `there is nothing at ${c.req.path}; /api/v1/openapi.json lists the routes`),
      this.machinePaths,
    );
  };
}
