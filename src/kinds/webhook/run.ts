// Executes `webhook`: a request to a web service. An unexpected response is a `fail`; no response is an error, because it
// is unknown whether the service did the work.

import { isEngineError } from '../../base/error.ts';
import { omitUndefined } from '../../base/fields.ts';
import type { Json } from '../../base/json.ts';
import type { StepOf } from '../../definition/model.ts';
import type { StepError } from '../../kernel/input.ts';
import { builtValues } from '../../steps/built-values.ts';
import { keyOf } from '../../steps/context.ts';
import { bodyOf, differenceOf } from '../../steps/web/answer-body.ts';
import { rateLimitOf } from '../../steps/web/rate-limit.ts';
import { type RenderedRequest, renderRequest, shownUrl } from '../../steps/web/rendered-request.ts';
import type { WebFailure, WebResponse } from '../../steps/web/request.ts';
import { templateScope } from '../../steps/web/template-scope.ts';
import { type Job, stepError, stoppedError, type Work } from '../../steps/work.ts';
import type { WebhookConfig } from './declare.ts';

type ExpectedAnswer = WebhookConfig['expect'];

const KEPT_HEADERS = ['content-type', 'etag', 'last-modified', 'location', 'retry-after', 'x-request-id'];

/** Sends the request once and compares the response with the expected one. */
export async function execute(job: Job<StepOf<'webhook'>>): Promise<Work> {
  const { runner, request: attempt } = job;
  const { model } = attempt.bound;
  const { config } = model;
  const { webhooks = {} } = runner.services;
  // The paths are those in the configuration, below `request`.
  const built = (await builtValues(attempt, job.context)).map(({ path, value }) => ({ path: path.slice(1), value }));
  let request: RenderedRequest;
  try {
    request = await renderRequest(config.request, {
      scope: config.templates === true ? templateScope(job) : undefined,
      secrets: runner.secrets,
      webhooks,
      built,
    });
  } catch (thrown) {
    if (!isEngineError(thrown)) throw thrown;
    return { error: stepError(thrown.code, `webhook "${model.id}" was not sent: ${thrown.message}`, { retryable: false }) };
  }
  // Loaded only when needed: the HTTP client doubles the start time of a program.
  const { requestGuarded } = await import('../../steps/web/request.ts');
  const answer = await requestGuarded({
    ...request,
    // A rerun after a crash has the same key, so a service that remembers keys does the work once.
    headers: { 'idempotency-key': encodeURI(keyOf(attempt)), ...request.headers },
    ...omitUndefined({ timeoutMs: config.timeoutMs }),
    allow: webhooks.allow ?? [],
    signal: attempt.signal,
  });
  const evidence = { request: { method: request.method, url: shownUrl(request.url), key: keyOf(attempt) } };
  const done = answer.kind === 'answered' ? answered(job, answer) : { error: errorOf(model.id, answer) };
  return { actor: `${request.method} ${shownUrl(request.url)}`, evidence, ...done };
}

function answered({ runner, request: { bound } }: Job<StepOf<'webhook'>>, answer: WebResponse): Work {
  const { id, config } = bound.model;
  const { status } = answer;
  const body = bodyOf(answer);
  const kept = KEPT_HEADERS.filter((name) => answer.headers[name] !== undefined);
  const headers = Object.fromEntries(kept.map((name) => [name, answer.headers[name] as string]));
  const unmet = unmetOf(config.expect ?? {}, status, body);
  const output = { status, body, headers };
  const limit = unmet === undefined ? undefined : rateLimitOf(answer, runner.services.now());
  if (limit !== undefined) {
    const message = `webhook "${id}": the service answered with ${status}, because it gets too many requests`;
    return { error: stepError('STEP_FAILED', message, { reason: 'quota', ...omitUndefined({ resumeAt: limit.until }) }) };
  }
  return unmet === undefined ? { outcome: 'ok', output } : { outcome: 'fail', output: { ...output, error: unmet } };
}

function unmetOf(expect: NonNullable<ExpectedAnswer>, status: number, body: Json): string | undefined {
  const isExpected = expect.status === undefined ? status >= 200 && status < 300 : status === expect.status;
  if (!isExpected)
    return `the status is ${status}, but ${expect.status === undefined ? 'one of 200 to 299' : String(expect.status)} is expected`;
  return expect.body === undefined ? undefined : differenceOf(expect.body, body);
}

function errorOf(step: string, failure: WebFailure): StepError {
  if (failure.reason === 'stopped') return stoppedError(step);
  const message = `webhook "${step}" got no answer: ${failure.message}`;
  if (failure.reason === 'timeout') return stepError('STEP_FAILED', message, { reason: 'timeout' });
  const isFinal = failure.kind === 'refused' && failure.reason !== 'dns';
  return stepError('STEP_FAILED', message, isFinal ? { retryable: false } : {});
}
