// Owns the execution of `action`: the forge does it once per key, and how it answered is the outcome.

import type { Json, JsonObject } from '../../base/json.ts';
import { type ActionSubject, performAction } from '../../forge/action.ts';
import { type Job, stepError, type Work } from '../work.ts';

/** Does an action on the forge. */
export async function executeAction({ bench, request, context }: Job): Promise<Work> {
  const { id, config } = request.bound.model;
  const { action, ...fields } = config;
  const { forge, groups } = bench.services;
  if (forge === undefined) {
    const message = `step "${id}" wants to ${String(action)}, and there is no forge here; configure one`;
    return { error: stepError('COMMAND_NOT_RUN', message, { retryable: false }) };
  }
  const scene = { subject: subjectOf(context.snapshot.data), key: context.idempotencyKey, ...(groups === undefined ? {} : { groups }) };
  const result = await performAction(forge, { name: String(action), config: fields }, scene);
  if (result.outcome === 'ok') return { outcome: 'ok', output: result.value };
  const { outcome, error, reason } = result;
  if (outcome !== 'error') return { outcome, output: { error, reason } };
  const mayPass = reason === 'unavailable' || reason === 'rate_limited';
  return { error: stepError('STEP_FAILED', `step "${id}": ${error}`, { retryable: mayPass }), output: { error, reason } };
}

/** The issue and the pull request that a run is about. */
function subjectOf(data: JsonObject): ActionSubject {
  const issue = numberIn(data.issue_number);
  const pr = numberIn(data.pr_number);
  return { ...(issue === undefined ? {} : { issue }), ...(pr === undefined ? {} : { pr }) };
}

function numberIn(value: Json | undefined): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined;
}
