// Owns requests to GitHub's GraphQL API, which has what the REST API lacks: discussions and the merge queue.

import { deny, refuse, refuseMissing } from '../refusal.ts';
import type { Connection } from './client.ts';
import { limitEnd } from './failure.ts';

/** The messages of errors after which a retry may succeed; such an error has no type. */
const TRANSIENT = /something went wrong|timed? ?out|timedout/i;
const LIMIT = /rate limit/i;

interface GraphqlError {
  readonly errors?: readonly { readonly type?: string; readonly message?: string }[];
  readonly headers?: Readonly<Record<string, string | number | undefined>>;
}

/** Sends a request. GitHub answers 200 even if it failed; the body has the error. */
export async function askGraphql<T>(
  { octokit, now, outageMs }: Pick<Connection, 'octokit' | 'now' | 'outageMs'>,
  query: string,
  variables: Readonly<Record<string, unknown>>,
): Promise<T> {
  try {
    return await octokit.graphql<T>(query, variables);
  } catch (error) {
    const { errors, headers = {} } = error as GraphqlError;
    const [first] = errors ?? [];
    if (first === undefined) throw error;
    const message = `GitHub answered: ${first.message ?? first.type ?? 'an error'}`;
    if (first.type === 'NOT_FOUND') refuseMissing(message);
    if (first.type === 'RATE_LIMITED' || LIMIT.test(message)) refuse({ result: 'rate_limited', message, until: limitEnd(headers, now()) });
    if (first.type === undefined && TRANSIENT.test(message)) refuse({ result: 'unavailable', message, until: now() + outageMs });
    return deny(message);
  }
}
