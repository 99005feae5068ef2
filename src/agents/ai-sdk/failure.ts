// Owns the mapping of errors of AI SDK providers to the failure classes of all drivers.

import { messageOf } from '../../base/error.ts';
import { present } from '../../base/fields.ts';
import { resumeTime } from '../../base/retry-after.ts';
import type { AttemptFailure } from '../answer.ts';

/** The error that providers throw for an error response, reduced to the fields we use. */
interface CallError extends Error {
  readonly statusCode?: number;
  readonly responseHeaders?: Readonly<Record<string, string>>;
  readonly responseBody?: string;
}

const FILTERED = /content[_-]?(filter|policy)/i;
/** Errors are recognised by name, because the project may load another copy of a provider than we do. */
const NO_KEY = 'AI_LoadAPIKeyError';
const CALL_ERROR = 'AI_APICallError';

/** Converts an error of a model call into a failure. `now` is the time it was thrown. */
export function callFailure(thrown: unknown, now: number): AttemptFailure {
  const message = messageOf(thrown);
  if (!(thrown instanceof Error)) return { failure: 'crash', message };
  if (thrown.name === NO_KEY) return { failure: 'auth', message };
  if (thrown.name !== CALL_ERROR) return { failure: 'crash', message: withCause(thrown) };
  const { statusCode, responseHeaders = {}, responseBody = '' } = thrown as CallError;
  const text = statusCode === undefined ? withCause(thrown) : `the model's API answered with ${statusCode}: ${message}`;
  if (statusCode === 401 || statusCode === 403) return { failure: 'auth', message: text };
  if (statusCode === 402 || statusCode === 429)
    return { failure: 'quota', message: text, ...present({ resumeAt: resumeTime(responseHeaders, now) }) };
  if (statusCode === 400 && FILTERED.test(responseBody)) return { failure: 'refused', message: text };
  const isUnavailable = statusCode !== undefined && (statusCode === 408 || statusCode >= 500);
  return { failure: isUnavailable ? 'unavailable' : 'crash', message: text };
}

function withCause(error: Error): string {
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
