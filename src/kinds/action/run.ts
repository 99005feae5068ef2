// Executes `action`: the forge does it once per key, and its answer is the outcome.

import { omitUndefined } from '../../base/fields.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import type { ForgeAction } from '../../definition/forge/forge-action.ts';
import type { StepOf } from '../../definition/model.ts';
import { type ActionSubject, performAction } from '../../forge/action.ts';
import { retryHintOf } from '../../forge/forge.ts';
import { runKey } from '../../forge/run-key.ts';
import type { Snapshot } from '../../steps/attempt.ts';
import { pullRequestNumber } from '../../steps/forge/forge-facts.ts';
import { foreignPullRequest, withPullRequest } from '../../steps/forge/publishing.ts';
import { APPROVED_HEADS } from '../../steps/run-records.ts';
import { type Job, requestError, stepError, type Work } from '../../steps/work.ts';
import { actionRefusal } from '../../steps/worker/permission.ts';
import { blockedMerge, checkMerge } from '../../steps/workspace/merge-check.ts';

/** Does an action on the forge. */
export async function execute(original: Job<StepOf<'action'>>): Promise<Work> {
  const { id, config } = original.request.bound.model;
  const { action } = config;
  const opener = 'pr' in config ? config.pr : undefined;
  const targeted = opener === undefined ? config : withPullRequestTarget(config);
  const number = opener === undefined ? undefined : pullRequestNumber(original.context.snapshot.data, opener);
  if (typeof number === 'string')
    return { error: stepError('STEP_FAILED', `step "${id}" cannot ${action}: ${number}`, { retryable: false }) };
  const job = number === undefined ? original : { ...original, context: original.context.withData({ pr_number: number }) };
  const { runner, request, context } = job;
  const { forge, groups } = runner.services;
  const refusal = actionRefusal(request.workflow.definition, action, targeted);
  if (refusal !== undefined) return { error: stepError('NOT_ALLOWED', `step "${id}" may not ${action}: ${refusal}`, { retryable: false }) };
  if (forge === undefined) {
    const message = `step "${id}" cannot ${action} because no forge is configured; set one up, such as "forge: { kind: local }" in .pawl/config.yaml`;
    return { error: stepError('COMMAND_NOT_RUN', message, { retryable: false }) };
  }
  const blocked = action === 'merge_pr' ? await blockedMerge(job) : undefined;
  if (blocked !== undefined) return blocked;
  const ready = action === 'merge_pr' ? await readyToMerge(job) : { job };
  if ('problem' in ready) {
    const message = `step "${id}" has no pull request to ${action}: ${ready.problem}`;
    return { error: requestError('STEP_FAILED', message, ready), output: { error: ready.problem, reason: 'denied' } };
  }
  const subject = subjectOf(ready.job.context.snapshot, opener);
  const landing = action === 'merge_pr' ? await checkMerge(ready.job, forge, subject) : { subject };
  if ('stale' in landing) return landing.stale;
  const visit = runKey(request.runId, request.activation.path);
  const target = { subject: landing.subject, key: context.idempotencyKey, visit, ...omitUndefined({ groups }) };
  const result = await performAction(forge, targeted, target);
  const record = omitUndefined({ evidence: landing.evidence, checks: landing.checks });
  if (result.outcome === 'ok') return { outcome: 'ok', output: result.value, ...rememberedFrom(result.value, ready.remember), ...record };
  const { outcome, error, reason } = result;
  if (outcome !== 'error') return { outcome, output: { error, reason }, ...record };
  const retryHint = retryHintOf({ result: reason, ...omitUndefined({ until: result.until }) });
  return { error: requestError('STEP_FAILED', `step "${id}": ${error}`, retryHint), output: { error, reason } };
}

/** Targets the pull request if the action could also be about an issue. */
function withPullRequestTarget(config: ForgeAction): ForgeAction {
  return config.action === 'label' || config.action === 'comment' ? { ...config, target: 'pr' } : config;
}

/** A merge takes the run's pull request as it was checked; one is opened only if the run has none yet. */
async function readyToMerge(job: Job): ReturnType<typeof withPullRequest> {
  if (numberIn(job.context.snapshot.data.pr_number) === undefined) return await withPullRequest(job);
  return (await foreignPullRequest(job)) ?? { job };
}

/** Labels that an action changed, and a pull request that it opened, become facts of the run. */
function rememberedFrom(value: Json, pr: JsonObject | undefined): { readonly remember?: JsonObject } {
  const labels = isJsonObject(value) && Array.isArray(value.labels) ? { labels: value.labels } : undefined;
  return labels === undefined && pr === undefined ? {} : { remember: { ...pr, ...labels } };
}

/** The issue and the pull request that a run is about. */
function subjectOf({ data, results }: Snapshot, pr: string | undefined): ActionSubject {
  const name = pr === undefined ? 'approved_head' : `approved_head_${pr}`;
  const head = APPROVED_HEADS.of(name).in(data) ?? headInResults(Object.values(results), name);
  return omitUndefined({ issue: numberIn(data.issue_number), pr: numberIn(data.pr_number), head });
}

/** The approved head in a run that was started by an engine that did not record it. A worker may have written it. */
function headInResults(results: readonly Json[], name: string): string | undefined {
  const heads = results.flatMap((result) => (isJsonObject(result) ? [result[name]] : []));
  return heads.findLast((head) => typeof head === 'string');
}

function numberIn(value: Json | undefined): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined;
}
