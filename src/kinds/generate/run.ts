// Owns the execution of `generate`: an agent or an object that writes text, and nothing but text.

import { omitUndefined } from '../../base/fields.ts';
import type { StepOf } from '../../definition/model.ts';
import { typeName } from '../../steps/context.ts';
import { type Job, stepError, type Work } from '../../steps/work.ts';
import { assumptionsOf } from '../../steps/worker/reply-rules.ts';
import { callWorker, usageEvidence } from '../../steps/worker/worker-call.ts';

/** Calls the generator; its text is the output. */
export async function execute(job: Job<StepOf<'generate'>>): Promise<Work> {
  const { id, config } = job.request.bound.model;
  const { generator, ...told } = config;
  const asked = await callWorker(job, { ...told, role: generator, givesText: true });
  const noted = { actor: asked.actor, ...usageEvidence(asked) };
  if (asked.kind === 'handed') return { handed: asked.handover, actor: asked.actor, ...usageEvidence(asked) };
  if (asked.kind === 'asks') return { asks: asked.questions, ...noted };
  if (asked.kind === 'failure') return { error: asked.error, ...noted, ...omitUndefined({ claim: asked.claim }) };
  if (asked.kind === 'answered' && !asked.success)
    return { outcome: 'fail', output: { error: asked.message ?? 'the generator reported failure without saying why' }, ...noted };
  const text = asked.kind === 'returned' ? asked.value : asked.output;
  if (typeof text === 'string')
    return { outcome: 'ok', output: text, ...noted, ...(asked.kind === 'answered' ? assumptionsOf(asked) : {}) };
  return { error: stepError('STEP_OUTPUT_INVALID', `the generator of step "${id}" must return text, not ${typeName(text)}`), ...noted };
}
