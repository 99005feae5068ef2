// Owns error responses: `application/problem+json` (RFC 9457), with the status from the catalogue for the code. An error that
// is not in the catalogue is a bug: the response says only that the server failed, and the details go to the log.

import type * as z from 'zod';
import { EngineError, ERROR_CODES, type ErrorCode, isEngineError } from '../base/error.ts';
import type { JsonObject } from '../base/json.ts';
import type { MachinePaths } from './machine-paths.ts';

/** The media type of failures. */
export const PROBLEM_TYPE = 'application/problem+json';

/** A failure as JSON. */
interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: ErrorCode | 'INTERNAL';
  readonly detail: string;
  /** Whether a retry can help: never, later without a change, or after a change. */
  readonly retry: 'never' | 'auto' | 'after-change';
  readonly position?: { readonly file?: string; readonly line: number; readonly column: number };
  readonly details?: Readonly<Record<string, unknown>>;
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad request',
  401: 'Login required',
  403: 'Not allowed',
  404: 'Not found',
  405: 'Method not allowed',
  409: 'Conflict',
  413: 'Too large',
  422: 'Invalid',
  423: 'Locked',
  410: 'Gone',
  421: 'Misdirected request',
  429: 'Too many requests',
  502: 'An agent failed',
  503: 'Unavailable',
  507: 'Disk full',
};

/** A failure as JSON, without paths of this machine. */
export function problemOf(error: unknown, paths: MachinePaths): Problem {
  if (!isEngineError(error))
    return {
      ...{ type: 'about:blank', title: 'Internal error', status: 500, code: 'INTERNAL', retry: 'after-change' },
      detail: 'the server failed; its log says why',
    };
  const { http, retry } = ERROR_CODES[error.code];
  return {
    type: `urn:pawl:error:${error.code}`,
    title: TITLES[http] ?? 'Error',
    status: http,
    code: error.code,
    detail: paths.message(error.message),
    retry,
    ...(error.position === undefined
      ? {}
      : { position: paths.messages({ ...error.position } as JsonObject) as unknown as NonNullable<Problem['position']> }),
    ...(Object.keys(error.details).length === 0 ? {} : { details: paths.messages(error.details as JsonObject) as JsonObject }),
  };
}

/** The response for a failure. */
export function problemResponse(error: unknown, paths: MachinePaths, headers: Readonly<Record<string, string>> = {}): Response {
  const problem = problemOf(error, paths);
  const { retryAfter } = problem.details ?? {};
  const wait = typeof retryAfter === 'number' ? { 'retry-after': String(retryAfter) } : undefined;
  return new Response(JSON.stringify(problem), { status: problem.status, headers: { 'content-type': PROBLEM_TYPE, ...wait, ...headers } });
}

/** The failure of a request whose query or body does not match the schema of its route. */
export function invalidRequest(where: 'query' | 'body', issues: readonly z.core.$ZodIssue[]): EngineError {
  const [first] = issues;
  const path = first?.path.join('.') ?? '';
  const at = path === '' ? `the ${where}` : `"${path}" in the ${where}`;
  return new EngineError(
    'REQUEST_INVALID',
    `${at} is invalid: ${first?.message ?? 'it does not match the schema'}; /api/v1/openapi.json describes it`,
    {
      details: { issues: issues.map(({ path: parts, message }) => ({ path: parts.join('.'), message })) },
    },
  );
}
