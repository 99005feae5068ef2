// Owns why a model brought no answer: what providers of the AI SDK throw, in the classes of every driver.

import { messageOf } from '../../base/error.ts';
import type { Failing } from '../judgement.ts';

/** What providers throw when the API answered with an error, as far as it is looked at. */
interface CallError extends Error {
  readonly statusCode?: number;
  readonly responseHeaders?: Readonly<Record<string, string>>;
  readonly responseBody?: string;
}

const FILTERED = /content[_-]?(filter|policy)/i;
/** Recognised by name: the project's copy of a provider may be another than ours. */
const NO_KEY = 'AI_LoadAPIKeyError';
const CALL_ERROR = 'AI_APICallError';

/** The failure behind what a call of a model threw at `now`. */
export function callFailure(thrown: unknown, now: number): Failing {
  const message = messageOf(thrown);
  if (!(thrown instanceof Error)) return { failure: 'crash', message };
  if (thrown.name === NO_KEY) return { failure: 'auth', message };
  if (thrown.name !== CALL_ERROR) return { failure: 'crash', message: withCause(thrown) };
  const { statusCode, responseHeaders = {}, responseBody = '' } = thrown as CallError;
  const told = statusCode === undefined ? withCause(thrown) : `the model's API answered with ${statusCode}: ${message}`;
  if (statusCode === 401 || statusCode === 403) return { failure: 'auth', message: told };
  if (statusCode === 402 || statusCode === 429) return { failure: 'quota', message: told, ...resumption(responseHeaders, now) };
  if (statusCode === 400 && FILTERED.test(responseBody)) return { failure: 'refused', message: told };
  return { failure: 'crash', message: told };
}

function withCause(error: Error): string {
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}

// Seconds or a date, as HTTP has it; some providers tell milliseconds beside it.
function resumption(headers: Readonly<Record<string, string>>, now: number): { readonly resumeAt?: number } {
  const milliseconds = Number(headers['retry-after-ms']);
  if (milliseconds > 0) return { resumeAt: now + milliseconds };
  const after = headers['retry-after'];
  if (after === undefined) return {};
  const seconds = Number(after);
  const resumeAt = Number.isNaN(seconds) ? Date.parse(after) : now + seconds * 1000;
  return Number.isNaN(resumeAt) ? {} : { resumeAt };
}
