// Recognises a rate limit in a response, and when to retry.

import { resumeTime } from '../../base/retry-after.ts';
import type { WebResponse } from './request.ts';

/** A rate limit of a service; `until` is when it ends, if known. */
export interface RateLimit {
  readonly until?: number;
}

/** The rate limit in a response: 429 always is one; 403 and 503 are if the headers name a limit. */
export function rateLimitOf({ status, headers }: WebResponse, now: number): RateLimit | undefined {
  const isUsedUp = headers['x-ratelimit-remaining'] === '0' || headers['ratelimit-remaining'] === '0';
  const isLimit =
    status === 429 || (status === 403 && isUsedUp) || ((status === 403 || status === 503) && headers['retry-after'] !== undefined);
  if (!isLimit) return undefined;
  const until = resumeTime(headers, now);
  return until === undefined ? {} : { until };
}
