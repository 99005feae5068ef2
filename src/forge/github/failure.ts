// Owns what an error of GitHub's API means: which class of answer it is, when to try again, and what people read.
//
// - A rate limit, primary or secondary, is capacity with a time, never a failure of the work.
// - So is an outage: where GitHub names no time, the next try is in half a minute. A run waits that long; it does not fail.
// - An error without a response, or with a 5xx, may come after the work was done: a write has to be looked up.

import { isEngineError } from '../../base/error.ts';
import { present } from '../../base/fields.ts';
import { resumeTime } from '../../base/retry-after.ts';
import { GitFailure } from '../../process/git-remote.ts';
import type { ForgeFailure } from '../forge.ts';
import type { Judge } from '../ledger.ts';
import { refusalIn } from '../refusal.ts';

/** GitHub asks to wait at least this long after a secondary limit that names no time. */
const SECONDARY_MS = 60_000;

/** An error of octokit: it has a status, and a response unless none arrived. */
export interface ApiError extends Error {
  readonly status: number;
  readonly request?: { readonly method?: string; readonly url?: string };
  readonly response?: { readonly headers: Readonly<Record<string, string | number | undefined>>; readonly data?: unknown };
}

/** Whether an error is one of octokit, optionally with one of these statuses. */
export function isApiError(error: unknown, ...statuses: number[]): error is ApiError {
  if (!(error instanceof Error) || typeof (error as Partial<ApiError>).status !== 'number') return false;
  return statuses.length === 0 || statuses.includes((error as ApiError).status);
}

/** Returns what went wrong and whether the request may have been carried out; undefined for a bug of ours. */
export function judgeError(error: unknown, times: JudgeTimes): ReturnType<Judge> {
  const judged = classOf(error, times.now);
  if (judged?.failure.result !== 'unavailable' || judged.failure.until !== undefined) return judged;
  return { ...judged, failure: { ...judged.failure, until: times.now + times.outageMs } };
}

/** The current time, and how long an outage is waited for that names none. */
export interface JudgeTimes {
  readonly now: number;
  readonly outageMs: number;
}

function classOf(error: unknown, now: number): ReturnType<Judge> {
  const refusal = refusalIn(error);
  if (refusal !== undefined) return { failure: refusal, mayHaveHappened: false };
  // Only a person can fix a login that is missing.
  if (isEngineError(error)) return { failure: { result: 'denied', message: error.message }, mayHaveHappened: false };
  // The record of what was done could not be written: the disk is full, or the file is locked.
  if (error instanceof Error && 'errcode' in error)
    return { failure: { result: 'unavailable', message: `what was done cannot be recorded: ${error.message}` }, mayHaveHappened: true };
  if (error instanceof GitFailure) return { failure: { result: 'unavailable', message: error.message }, mayHaveHappened: true };
  if (!isApiError(error)) return undefined;
  const mayHaveHappened = error.response === undefined || error.status >= 500;
  return { failure: failureOf(error, now), mayHaveHappened };
}

function failureOf(error: ApiError, now: number): ForgeFailure {
  const { status, response } = error;
  if (response === undefined) return { result: 'unavailable', message: `GitHub cannot be reached: ${error.message}` };
  const message = `GitHub answered ${status} to ${requestText(error)}: ${responseText(error)}`;
  const headers = textHeaders(response.headers);
  const until = resumeTime(headers, now);
  const limit = limitOf(error, headers);
  if (limit !== undefined) return { result: 'rate_limited', message, until: (limit === 'named' ? until : undefined) ?? now + SECONDARY_MS };
  if (status >= 500) {
    // The time of the rate limit's reset is in every response and says nothing about an outage.
    return { result: 'unavailable', message, ...present({ until: headers['retry-after'] === undefined ? undefined : until }) };
  }
  if (status === 404 || status === 410)
    return { result: 'not_found', message: `${message}; it does not exist, or the login cannot see it` };
  if (status === 401) return { result: 'denied', message: `${message}; the login is not valid (any more): renew the token` };
  return { result: 'denied', message: withAdvice(message) };
}

/** A message of GitHub with what to do about it, where that is known. */
export function withAdvice(message: string): string {
  if (!/\barchived\b/i.test(message)) return message;
  return `${message.trim().replace(/\.$/, '')}; unarchive it in its settings at GitHub, or cancel the run`;
}

/** Whether a request was refused by a rate limit, and whether the headers say when it ends. */
function limitOf(error: ApiError, headers: Readonly<Record<string, string>>): 'named' | 'unnamed' | undefined {
  const { status } = error;
  if (status !== 403 && status !== 429) return undefined;
  const isNamed = headers['x-ratelimit-remaining'] === '0' || headers['retry-after'] !== undefined;
  if (isNamed) return 'named';
  return status === 429 || /secondary rate|abuse detection/i.test(responseText(error)) ? 'unnamed' : undefined;
}

/** The headers of a response as texts, as `resumeTime` takes them. */
export function textHeaders(headers: Readonly<Record<string, string | number | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])));
}

function requestText({ request }: ApiError): string {
  const path = request?.url === undefined ? '' : new URL(request.url, 'http://localhost').pathname;
  return `${request?.method ?? 'a request'} ${path}`.trim();
}

/** Returns the sentence of GitHub in an error, with the details that it lists. */
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
