// Owns requests to GitHub's GraphQL API, which has what the REST API lacks: discussions and the merge queue.

import { resumeTime } from '../../base/retry-after.ts';
import { deny, refuse, refuseMissing } from '../refusal.ts';
import type { Connection } from './client.ts';
import { textHeaders } from './failure.ts';

const RATE_MS = 60_000;
/** How GitHub words what may work a moment later; such an error has no type. */
const PASSING = /something went wrong|timed? ?out|timedout/i;
const LIMIT = /rate limit/i;

interface GraphqlError {
  readonly errors?: readonly { readonly type?: string; readonly message?: string }[];
  readonly headers?: Readonly<Record<string, string | number | undefined>>;
}

/** Sends a request. GitHub answers 200 even if it failed; the response says what went wrong. */
export async function askGraphql<T>(
  { octokit, now, outageMs }: Pick<Connection, 'octokit' | 'now' | 'outageMs'>,
  query: string,
  variables: Readonly<Record<string, unknown>>,
): Promise<T> {
  try {
    return await octokit.graphql<T>(query, variables);
  } catch (error) {
    const { errors, headers } = error as GraphqlError;
    const [first] = errors ?? [];
    if (first === undefined) throw error;
    const message = `GitHub answered: ${first.message ?? first.type ?? 'an error'}`;
    if (first.type === 'NOT_FOUND') refuseMissing(message);
    if (first.type === 'RATE_LIMITED' || LIMIT.test(message)) refuse({ result: 'rate_limited', message, until: resetIn(headers, now()) });
    if (first.type === undefined && PASSING.test(message)) refuse({ result: 'unavailable', message, until: now() + outageMs });
    return deny(message);
  }
}

/** When the limit ends: GitHub names a time for the primary one, and asks for a minute otherwise. */
function resetIn(headers: GraphqlError['headers'] = {}, now: number): number {
  const texts = textHeaders(headers);
  const isNamed = texts['x-ratelimit-remaining'] === '0' || texts['retry-after'] !== undefined;
  return (isNamed ? resumeTime(texts, now) : undefined) ?? now + RATE_MS;
}
