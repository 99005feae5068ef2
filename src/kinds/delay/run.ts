// Owns the execution of `delay`: one look at whether it is over. The time itself is kept by the kernel.

import { isJsonObject, type Json } from '../../base/json.ts';
import { isPromise, untilStopped } from '../../steps/abort.ts';
import { holdsExpression } from '../../steps/conditions.ts';
import { kindOf } from '../../steps/context.ts';
import { type Job, stepError, type Work } from '../../steps/work.ts';

/** Looks once: `ok` when the delay is over, `iterate` when it goes on. */
export async function execute(job: Job): Promise<Work> {
  const ready = await look(job);
  if (typeof ready === 'boolean') return { outcome: ready ? 'ok' : 'iterate', output: null };
  const message = `the poll of step "${job.request.bound.model.id}" gave ${kindOf(ready)}; a poll gives true or false`;
  return { error: stepError('CONDITION_ERROR', message) };
}

function look({ request, context }: Job): unknown {
  const { code, model } = request.bound;
  if (code.poll !== undefined) {
    const found = code.poll(context);
    return isPromise(found) ? untilStopped(found, request.signal) : found;
  }
  const poll: Json | undefined = model.config.poll;
  const condition = isJsonObject(poll) ? poll.condition : undefined;
  return typeof condition === 'string' ? holdsExpression(condition, request, context) : false;
}
