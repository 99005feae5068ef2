// Owns the execution of `agent`: what an agent's answer means for the step. Its success is only a claim; the outcomes it
// can choose are those of work that is not done.

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
  const asked = await callWorker(job, job.request.bound.model.config);
  if (asked.kind === 'handed') return { handed: asked.handover, actor: asked.actor, ...usageEvidence(asked) };
  if (asked.kind === 'asks')
    return {
      asks: asked.questions,
      actor: asked.actor,
      ...omitUndefined({ saved: asked.saved }),
      ...usageEvidence(asked),
      ...sessionOf(asked),
    };
  const noted = { actor: asked.actor, ...usageEvidence(asked), ...sessionOf(asked) };
  if (asked.kind === 'failure') return { error: asked.error, ...noted, ...omitUndefined({ claim: asked.claim }) };
  return { ...noted, ...(asked.kind === 'returned' ? fromObject(job, asked.value) : fromAnswer(job, asked)) };
}

// A live object returns whatever its author wrote; `success` and `verdict` mean the same as for a driver.
function fromObject(job: AgentJob, plain: Json): Work {
  const fields = isJsonObject(plain) ? plain : {};
  const output = isFlow(job) && typeof fields.success !== 'boolean' ? { success: true, output: plain } : plain;
  const reply = objectReply(plain);
  return { ...judged(job, { success: reply.success, verdict: verdictOf(reply), inner: reply.output, output }), ...assumptionsOf(reply) };
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
  const work = judged(job, {
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

function judged(job: AgentJob, { success, verdict, inner, output, claim }: AgentResponse): Work {
  const { id, config } = job.request.bound.model;
  const noted = claim === undefined ? { claim: output } : { claim };
  const status = isJsonObject(inner) ? inner.status : undefined;
  if (config.script !== undefined && typeof status === 'string' && !isReviewStatus(status)) {
    const message = `the agent of step "${id}" reported the status ${JSON.stringify(status)}; a dispatched agent reports PASS or FAIL`;
    return { error: stepError('STEP_OUTPUT_INVALID', message), ...noted };
  }
  return { outcome: outcomeOf(success, verdict, status), output, ...noted };
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
