// Recognises repeated requests. A request with an `Idempotency-Key` is carried out once: the same request again gets the
// first response, even after a restart, and a different request with the same key is rejected.
//
// - A key belongs to its caller and its route.
// - The response is recorded after the action. A crash between the two is safe: what a handler does with a key has an id that
//   is derived from the key, so the store recognises it; a decision is recognised by its person, option, text and digest.

import { digestJson, digestText } from '../base/digest.ts';
import { EngineError } from '../base/error.ts';
import type { Json } from '../base/json.ts';
import type { Caller } from './caller.ts';
import { PROBLEM_TYPE } from './problem.ts';
import type { Route, ServerContext } from './route.ts';
import type { PartTables, ServerDatabase } from './server-database.ts';

/** The table of responses. */
export const REPEATS_TABLES: PartTables = {
  part: 'repeats',
  migrations: [
    `CREATE TABLE repeats (
      key TEXT PRIMARY KEY,
      request TEXT NOT NULL,
      status INTEGER NOT NULL,
      type TEXT NOT NULL,
      answer TEXT NOT NULL,
      at INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX repeats_at ON repeats (at);`,
  ],
};

/** How long a response is kept. */
const KEPT_MS = 24 * 60 * 60 * 1000;
const KEY_MAX = 255;

/** Where responses are stored, and the requests in progress. */
export interface Repeats {
  readonly database: ServerDatabase;
  readonly now: () => number;
  readonly underWay: Map<string, { readonly request: string; readonly answer: Promise<Response> }>;
}

/** Handles a request that may be sent twice; calls `use` at most once per key. */
export async function repeated(
  repeats: Repeats,
  { c, caller, route, json }: { readonly c: ServerContext; readonly caller: Caller; readonly route: Route; readonly json: Json },
  use: (key: string | undefined) => Promise<Response>,
): Promise<Response> {
  const named = c.req.header('idempotency-key');
  if (named === undefined) return use(undefined);
  if (named.trim() === '' || named.length > KEY_MAX)
    throw new EngineError('REQUEST_INVALID', `"Idempotency-Key" must have between 1 and ${KEY_MAX} characters`);
  const key = digestText(JSON.stringify([caller.name, route.method, route.path, named]));
  const request = digestJson([c.req.path, json]);
  const pending = repeats.underWay.get(key);
  if (pending !== undefined) {
    assertSame(pending.request, request, named);
    return (await pending.answer).clone();
  }
  const kept = repeats.database.get('SELECT request, status, type, answer FROM repeats WHERE key = ?', key);
  if (kept !== undefined) {
    assertSame(String(kept.request), request, named);
    return new Response(String(kept.answer), { status: Number(kept.status), headers: { 'content-type': String(kept.type) } });
  }
  const answer = use(key).then((response) => storeResponse(repeats, { key, request, response }));
  repeats.underWay.set(key, { request, answer });
  try {
    return (await answer).clone();
  } finally {
    repeats.underWay.delete(key);
  }
}

function assertSame(first: string, now: string, named: string): void {
  if (first === now) return;
  throw new EngineError(
    'REQUEST_REUSED',
    `the Idempotency-Key "${named}" was already used for another request; use a new key for each new request`,
    { details: { key: named } },
  );
}

/** Failures are not kept: the same request may succeed later. */
async function storeResponse(
  { database, now }: Repeats,
  { key, request, response }: { readonly key: string; readonly request: string; readonly response: Response },
): Promise<Response> {
  const type = response.headers.get('content-type') ?? 'application/json';
  if (response.status >= 400 || type === PROBLEM_TYPE) return response;
  const answer = await response.clone().text();
  database.transaction(() => {
    database.run('DELETE FROM repeats WHERE at < ?', now() - KEPT_MS);
    database.insert('repeats', { key, request, status: response.status, type, answer, at: now() }, 'ignore');
  });
  return response;
}
