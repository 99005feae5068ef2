// Owns requests to GitHub's GraphQL API, which has what the REST API lacks: discussions and the merge queue.

import type { Connection } from './client.ts';
import { refuse } from './failure.ts';

const RATE_MS = 60_000;

/** Asks. GitHub answers 200 also where a request failed; what went wrong is in the answer. */
export async function askGraphql<T>(
  { octokit, now }: Pick<Connection, 'octokit' | 'now'>,
  query: string,
  variables: Readonly<Record<string, unknown>>,
): Promise<T> {
  try {
    return await octokit.graphql<T>(query, variables);
  } catch (error) {
    const { errors } = error as { readonly errors?: readonly { readonly type?: string; readonly message?: string }[] };
    const [first] = errors ?? [];
    if (first === undefined) throw error;
    const message = `GitHub answered: ${first.message ?? first.type ?? 'an error'}`;
    if (first.type === 'NOT_FOUND') refuse({ result: 'not_found', message });
    if (first.type === 'RATE_LIMITED') refuse({ result: 'rate_limited', message, until: now() + RATE_MS });
    return refuse({ result: 'denied', message });
  }
}
