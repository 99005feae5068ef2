// Executes `generate`: an agent or an object that writes text, and nothing but text.

import { omitUndefined } from '../../base/fields.ts';
import type { StepOf } from '../../definition/model.ts';
import { typeName } from '../../steps/context.ts';
import { type Job, stepError, type Work } from '../../steps/work.ts';
import { assumptionsOf } from '../../steps/worker/reply-rules.ts';
import { callWorker, usageEvidence } from '../../steps/worker/worker-call.ts';

/** Calls the generator; its text is the output. */
export async function execute(job: Job<StepOf<'generate'>>): Promise<Work> {
  const { id, config } = job.request.bound.model;
  const { generator, ...instructions } = config;
  const answer = await callWorker(job, { ...instructions, role: generator, givesText: true });
  const record = { actor: answer.actor, ...usageEvidence(answer) };
  if (answer.kind === 'handed') return { handed: answer.handover, actor: answer.actor, ...usageEvidence(answer) };
  if (answer.kind === 'asks') return { asks: answer.questions, ...record };
  if (answer.kind === 'failure') return { error: answer.error, ...record, ...omitUndefined({ claim: answer.claim }) };
  if (answer.kind === 'answered' && !answer.success)
    return { outcome: 'fail', output: { error: answer.message ?? 'the generator reported failure without saying why' }, ...record };
  const text = answer.kind === 'returned' ? answer.value : answer.output;
  if (typeof text === 'string')
    return { outcome: 'ok', output: text, ...record, ...(answer.kind === 'answered' ? assumptionsOf(answer) : {}) };
  return { error: stepError('STEP_OUTPUT_INVALID', `the generator of step "${id}" must return text, not ${typeName(text)}`), ...record };
}
