// Owns the declaration of a route: its method and path, the scope it needs, and the schemas of its request and response.
// The scope check, the validation, the types of the handler and the OpenAPI description all come from the one declaration.

import type { Context, Hono } from 'hono';
import type * as z from 'zod';
import type { LoginScope } from '../authority/rights.ts';
import type { DeepReadonly } from '../base/deep-readonly.ts';
import { EngineError } from '../base/error.ts';
import type { Json } from '../base/json.ts';
import { readJsonBody } from './body.ts';
import type { Caller } from './caller.ts';
import type { MachinePaths } from './machine-paths.ts';
import { invalidRequest } from './problem.ts';
import { type Repeats, repeated } from './repeats.ts';

/** The variables that middleware sets for the routes. */
export interface ServerVariables {
  /** The caller; not set without a login. */
  readonly caller: Caller;
  /** Removes paths of this machine from responses. */
  readonly paths: MachinePaths;
  /** What the request did, for the audit; not set if its method and path are enough. */
  readonly acts: readonly RequestAct[];
}

/** An action of a request on a run, or on what `about` names. */
export interface RequestAct {
  /** The verb of the command line: `decide`, `cancel`, `start`. */
  readonly action: string;
  /** A person or a token, if it is not about a run. */
  readonly about?: string | undefined;
  /** Also absent while a run that is being started has no id. */
  readonly run?: string | undefined;
  /** The step, the approval or the assumption that it was about. */
  readonly step?: string | undefined;
  /** What was chosen: an option, how to resume, the name of a signal. */
  readonly choice?: string | undefined;
  /** The code of the error, if it differs from the result of the request. */
  readonly outcome?: string | undefined;
}

/** The type of the app that parts are mounted on. */
export type ServerApp = Hono<{ Variables: Partial<ServerVariables> }>;

/** The context of one request. */
export type ServerContext = Context<{ Variables: Partial<ServerVariables> }>;

/** A route. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** The path, with `:name` for what varies. */
  readonly path: string;
  /** The scope a caller needs; `public` needs no login. */
  readonly scope: LoginScope | 'public';
  /** What it does, in a few words. */
  readonly summary: string;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** The schema of its JSON response; absent if the response is not JSON. */
  readonly answer?: z.ZodType;
  /** The media type of a response that is not JSON. */
  readonly content?: string;
  readonly status?: 200 | 201 | 202;
  /** Accepts an `Idempotency-Key`: a repeated request is carried out once and gets the same response. */
  readonly isRepeatable?: true;
}

type OutputOf<T> = T extends z.ZodType ? z.output<T> : undefined;

interface RouteRequest<R extends Route> {
  readonly c: ServerContext;
  readonly caller: Caller;
  /** The parameters of the path, decoded. */
  readonly param: (name: string) => string;
  readonly query: OutputOf<R['query']>;
  readonly body: OutputOf<R['body']>;
  /** The digest of the caller, the route and the `Idempotency-Key`; undefined without a key. */
  readonly key: string | undefined;
  /** Sets what the audit records about the request. Called before the action, and again when more is known. */
  readonly note: (...acts: readonly RequestAct[]) => void;
}

/** What a handler returns: the JSON of the route without its version, or a response where the route has none. */
type RouteAnswer<R extends Route> = R['answer'] extends z.ZodType ? WithoutVersion<DeepReadonly<z.input<R['answer']>>> : Response;

type WithoutVersion<T> = T extends unknown ? Omit<T, 'schemaVersion'> : never;

/** The version of the schemas, the same as that of `pawl … --json`. */
const SCHEMA_VERSION = 1;

/** Mounts the handler of a route. */
export function handle<const R extends Route>(
  { app, repeats }: { readonly app: ServerApp; readonly repeats: Repeats },
  route: R,
  answer: (request: RouteRequest<R>) => Promise<RouteAnswer<R>>,
): void {
  app.on(route.method, route.path, async (c: ServerContext) => {
    const caller = callerOf(c, route);
    const query = (route.query === undefined ? undefined : parsed(route.query, queryOf(c), 'query')) as OutputOf<R['query']>;
    const json = route.body === undefined ? undefined : await readJsonBody(c);
    const body = (route.body === undefined ? undefined : parsed(route.body, json, 'body')) as OutputOf<R['body']>;
    const request = {
      c,
      caller,
      query,
      body,
      param: (name: string) => c.req.param(name) ?? '',
      note: (...acts: readonly RequestAct[]) => c.set('acts', acts),
    };
    const use = async (key: string | undefined): Promise<Response> => {
      const answered: unknown = await answer({ ...request, key });
      return answered instanceof Response ? answered : jsonResponse(c, answered as object, route.status);
    };
    return route.isRepeatable === true ? repeated(repeats, { c, caller, route, json: json as Json }, use) : use(undefined);
  });
}

function jsonResponse(c: ServerContext, answered: object, status = 200): Response {
  const text = JSON.stringify({ schemaVersion: SCHEMA_VERSION, ...answered });
  return new Response(c.get('paths')?.answer(text) ?? text, { status, headers: { 'content-type': 'application/json' } });
}

/** The caller; on a public route without a login, `NOBODY`. */
function callerOf(c: ServerContext, { scope }: Route): Caller {
  const caller = c.get('caller');
  if (caller !== undefined) return caller;
  if (scope === 'public') return NOBODY;
  throw loginRequired();
}

/** The failure of a request without a login. */
export function loginRequired(): EngineError {
  return new EngineError('LOGIN_REQUIRED', 'log in first: open the link that "pawl serve" printed, or send a personal token');
}

const NOBODY: Caller = { kind: 'person', name: 'nobody', groups: [], scopes: new Set(), via: 'session' };

function queryOf(c: ServerContext): Record<string, string | string[]> {
  const all = c.req.queries();
  return Object.fromEntries(Object.entries(all).map(([name, values]) => [name, values.length === 1 ? (values[0] as string) : values]));
}

function parsed(schema: z.ZodType, value: unknown, where: 'query' | 'body'): unknown {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw invalidRequest(where, result.error.issues);
}
