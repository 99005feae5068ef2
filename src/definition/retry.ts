// Decides whether a failed attempt is retried, and after which delay. A broken contract has a separate budget.

import type { StepModel } from './model.ts';

/** The failed attempt, and the first attempt of the current retry budget. */
interface FailedTry {
  readonly attempt: number;
  readonly since: number;
  /** How many attempts of this budget broke the contract. */
  readonly broken?: number | undefined;
}

/** Why an attempt failed. */
interface TryError {
  readonly reason: string;
  readonly retryable?: boolean | undefined;
}

/** Whether a failed attempt is retried. */
export function mayRetry(model: StepModel, { attempt, since, broken = 0 }: FailedTry, { reason, retryable }: TryError): boolean {
  // A group is not restarted as a whole: its members have their own retries, and a person can send back the rest.
  if (model.kind === 'parallel' || model.kind === 'each') return false;
  if (reason === 'contract') return broken < model.contractRetries;
  if ((reason !== 'error' && reason !== 'timeout') || retryable === false) return false;
  return model.retry.on.includes(reason) && attempt - since - broken < model.retry.max;
}

/** How many attempts have broken the contract so far, undefined for none, and the delay before the next one. */
export function nextTry(
  { retry: { backoff } }: StepModel,
  failed: FailedTry,
  error: TryError | undefined,
): { readonly broken: number | undefined; readonly pauseMs: number } {
  const broken = (failed.broken ?? 0) + (error?.reason === 'contract' ? 1 : 0);
  const tries = failed.attempt - failed.since - broken;
  const pauses = backoff !== undefined && error !== undefined && error.reason !== 'contract';
  const pauseMs = pauses ? Math.min(backoff.maxMs, Math.round(backoff.initialMs * backoff.factor ** tries)) : 0;
  return { broken: broken === 0 ? undefined : broken, pauseMs };
}
