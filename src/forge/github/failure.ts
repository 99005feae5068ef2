// Turns an error of GitHub's API into an answer: its class, when to try again, and the message.
//
// - After a rate limit, primary or secondary, or an outage, a run waits and tries again; it does not fail. If GitHub names no
//   time, it waits half a minute after an outage.
// - An error without a response, or with a 5xx, may come after a write was carried out, so the write has to be looked up.

import { isEngineError } from '../../base/error.ts';
import { omitUndefined } from '../../base/fields.ts';
import { resumeTime } from '../../base/retry-after.ts';
import { GitFailure } from '../../process/git-remote.ts';
import type { ForgeFailure } from '../forge.ts';
import type { ErrorClassifier } from '../ledger.ts';
import { refusalIn } from '../refusal.ts';

/** GitHub asks clients to wait at least this long after a limit for which it names no time. */
const LIMIT_MS = 60_000;

type Headers = Readonly<Record<string, string | number | undefined>>;

/** An error of octokit: it has a status, and a response unless none arrived. */
interface ApiError extends Error {
  readonly status: number;
  readonly request?: { readonly method?: string; readonly url?: string };
  readonly response?: { readonly headers: Headers; readonly data?: unknown };
}

/** Whether an error is one of octokit, optionally with one of these statuses. */
export function isApiError(error: unknown, ...statuses: number[]): error is ApiError {
  if (!(error instanceof Error) || typeof (error as Partial<ApiError>).status !== 'number') return false;
  return statuses.length === 0 || statuses.includes((error as ApiError).status);
}

/** Returns what went wrong and whether the request may have been carried out; undefined for a bug of ours. */
export function classifyError(
  error: unknown,
  { now, outageMs }: { readonly now: number; readonly outageMs: number },
): ReturnType<ErrorClassifier> {
  const classified = failureClassOf(error, now);
  if (classified?.failure.result !== 'unavailable' || classified.failure.until !== undefined) return classified;
  return { ...classified, failure: { ...classified.failure, until: now + outageMs } };
}

function failureClassOf(error: unknown, now: number): ReturnType<ErrorClassifier> {
  const refusal = refusalIn(error);
  if (refusal !== undefined) return { failure: refusal, mayHaveHappened: false };
  // Only a person can fix a missing login.
  if (isEngineError(error)) return { failure: { result: 'denied', message: error.message }, mayHaveHappened: false };
  // SQLite could not write the ledger: the disk is full, or the file is locked.
  if (error instanceof Error && 'errcode' in error)
    return { failure: { result: 'unavailable', message: `the action cannot be recorded: ${error.message}` }, mayHaveHappened: true };
  if (error instanceof GitFailure) return { failure: { result: 'unavailable', message: error.message }, mayHaveHappened: true };
  if (!isApiError(error)) return undefined;
  const mayHaveHappened = error.response === undefined || error.status >= 500;
  return { failure: failureOf(error, now), mayHaveHappened };
}

function failureOf(error: ApiError, now: number): ForgeFailure {
  const { status, response } = error;
  if (response === undefined) return { result: 'unavailable', message: `GitHub cannot be reached: ${error.message}` };
  const message = `GitHub answered ${status} to ${requestText(error)}: ${responseText(error)}`;
  const { headers } = response;
  if (isRateLimit(error, headers)) return { result: 'rate_limited', message, until: limitEnd(headers, now) };
  if (status >= 500) {
    // Every response has the time at which the rate limit is reset, which does not apply to an outage.
    const until = headers['retry-after'] === undefined ? undefined : resumeTime(textHeaders(headers), now);
    return { result: 'unavailable', message, ...omitUndefined({ until }) };
  }
  if (status === 404 || status === 410)
    return { result: 'not_found', message: `${message}; it does not exist, or the login cannot see it` };
  if (status === 401) return { result: 'denied', message: `${message}; the login is not valid (any more): renew the token` };
  return { result: 'denied', message: withAdvice(message) };
}

/** Adds advice to a message of GitHub, where there is any. */
export function withAdvice(message: string): string {
  if (!/\barchived\b/i.test(message)) return message;
  return `${message.trim().replace(/\.$/, '')}; unarchive it in its settings at GitHub, or cancel the run`;
}

function isRateLimit(error: ApiError, headers: Headers): boolean {
  if (error.status === 429) return true;
  return error.status === 403 && (namesLimitEnd(headers) || /secondary rate|abuse detection/i.test(responseText(error)));
}

function namesLimitEnd(headers: Headers): boolean {
  return String(headers['x-ratelimit-remaining']) === '0' || headers['retry-after'] !== undefined;
}

/** When a rate limit ends: at the time in the headers of a response, or else after a minute. */
export function limitEnd(headers: Headers, now: number): number {
  return (namesLimitEnd(headers) ? resumeTime(textHeaders(headers), now) : undefined) ?? now + LIMIT_MS;
}

function textHeaders(headers: Headers): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])));
}

function requestText({ request }: ApiError): string {
  const path = request?.url === undefined ? '' : new URL(request.url, 'http://localhost').pathname;
  return `${request?.method ?? 'a request'} ${path}`.trim();
}

/** Returns GitHub's message in an error, with the details that it lists. */
export function responseText({ response, message }: ApiError): string {
  const data = response?.data;
  if (typeof data !== 'object' || data === null || !('message' in data)) return message;
  const { errors } = data as { readonly errors?: unknown };
  const details = Array.isArray(errors) ? errors.map(detailText).filter((text) => text !== '') : [];
  return [String(data.message), ...details].join('; ');
}

function detailText(detail: unknown): string {
  if (typeof detail === 'string') return detail;
  const { message, field, code } = detail as { readonly message?: unknown; readonly field?: unknown; readonly code?: unknown };
  if (typeof message === 'string') return message;
  return [field, code].filter((part) => typeof part === 'string').join(' ');
}
