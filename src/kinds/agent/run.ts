// Executes `agent`: what an agent's answer means for the step. Its success is only a claim; by itself it can only choose
// outcomes for unfinished work.

import type { AgentAnswer, AgentReply } from '../../agents/driver.ts';
import { omitUndefined } from '../../base/fields.ts';
import { isJsonObject, type Json, type JsonObject, toPlain } from '../../base/json.ts';
import type { StepOf } from '../../definition/model.ts';
import type { OutcomeName } from '../../definition/outcome.ts';
import { type Job, stepError, type Work } from '../../steps/work.ts';
import { assumptionsOf, verdictOf } from '../../steps/worker/reply-rules.ts';
import { callWorker, objectReply, sessionOf, usageEvidence } from '../../steps/worker/worker-call.ts';

type AgentJob = Job<StepOf<'agent'>>;

/** Calls the agent and reads its verdict. */
export async function execute(job: AgentJob): Promise<Work> {
  const answer = await callWorker(job, job.request.bound.model.config);
  if (answer.kind === 'handed') return { handed: answer.handover, actor: answer.actor, ...usageEvidence(answer) };
  if (answer.kind === 'asks')
    return {
      asks: answer.questions,
      actor: answer.actor,
      ...omitUndefined({ saved: answer.saved }),
      ...usageEvidence(answer),
      ...sessionOf(answer),
    };
  const record = { actor: answer.actor, ...usageEvidence(answer), ...sessionOf(answer) };
  if (answer.kind === 'failure') return { error: answer.error, ...record, ...omitUndefined({ claim: answer.claim }) };
  return { ...record, ...(answer.kind === 'returned' ? fromObject(job, answer.value) : fromAnswer(job, answer)) };
}

// A live object returns whatever its author wrote; `success` and `verdict` mean the same as for a driver.
function fromObject(job: AgentJob, plain: Json): Work {
  const fields = isJsonObject(plain) ? plain : {};
  const output = isFlow(job) && typeof fields.success !== 'boolean' ? { success: true, output: plain } : plain;
  const reply = objectReply(plain);
  return { ...workOf(job, { success: reply.success, verdict: verdictOf(reply), inner: reply.output, output }), ...assumptionsOf(reply) };
}

function fromAnswer(job: AgentJob, answer: AgentAnswer & { readonly kind: 'answered' }): Work {
  const { success, verdict, message } = answer;
  const { id, config } = job.request.bound.model;
  if (verdictOf({ success, output: answer.output ?? null, verdict }) === 'approve' && config.continueSession === true) {
    const why = `the agent of step "${id}" approves work of the session that it continues; a review needs its own session: remove continue_session`;
    return { error: stepError('STEP_OUTPUT_INVALID', why, { retryable: false }), claim: answer as unknown as JsonObject };
  }
  const inner = toPlain(answer.output, `the output of step "${job.request.bound.model.id}"`);
  const claim = { success, output: inner, ...omitUndefined({ verdict, message }) };
  const bare =
    success || isJsonObject(inner) ? inner : { error: message ?? 'the agent reported failure without saying why', output: inner };
  const work = workOf(job, {
    success,
    verdict: verdictOf({ success, output: inner, verdict }),
    inner,
    output: isFlow(job) ? claim : reviewed(bare, { verdict, message }),
    claim,
  });
  return { ...work, ...assumptionsOf(answer) };
}

/** The result of a review, with its verdict and feedback. */
function reviewed(output: Json, { verdict, message }: { [K in 'verdict' | 'message']: AgentReply[K] | undefined }): Json {
  if (verdict === undefined) return output;
  const fields = isJsonObject(output) ? output : output === null ? {} : typeof output === 'string' ? { feedback: output } : { output };
  return { verdict, ...omitUndefined({ feedback: message }), ...fields };
}

interface AgentResponse {
  readonly success: boolean;
  readonly verdict: AgentReply['verdict'];
  /** What the agent produced, without the wrapping. */
  readonly inner: Json;
  readonly output: Json;
  readonly claim?: JsonObject;
}

function workOf(job: AgentJob, { success, verdict, inner, output, claim }: AgentResponse): Work {
  const { id, config } = job.request.bound.model;
  const record = claim === undefined ? { claim: output } : { claim };
  const status = isJsonObject(inner) ? inner.status : undefined;
  if (config.script !== undefined && typeof status === 'string' && !isReviewStatus(status)) {
    const message = `the agent of step "${id}" reported the status ${JSON.stringify(status)}; a dispatched agent reports PASS or FAIL`;
    return { error: stepError('STEP_OUTPUT_INVALID', message), ...record };
  }
  return { outcome: outcomeOf(success, verdict, status), output, ...record };
}

function isReviewStatus(status: string): boolean {
  return status === 'PASS' || status === 'FAIL';
}

function outcomeOf(success: boolean, verdict: AgentReply['verdict'], status: Json | undefined): OutcomeName {
  if (verdict === 'reject') return 'reject';
  return success && status !== 'FAIL' ? 'ok' : 'fail';
}

function isFlow({ request }: Job): boolean {
  return request.workflow.definition.form === 'flow';
}
