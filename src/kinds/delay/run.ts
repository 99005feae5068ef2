// Executes `delay`: one poll of its condition. The kernel keeps the time.

import type { StepOf } from '../../definition/model.ts';
import { isPromise, untilStopped } from '../../steps/abort.ts';
import { holdsExpression } from '../../steps/conditions.ts';
import { typeName } from '../../steps/context.ts';
import { type Job, stepError, type Work } from '../../steps/work.ts';

/** Polls once: `ok` if the delay is over, `iterate` if it continues. */
export async function execute(job: Job<StepOf<'delay'>>): Promise<Work> {
  const ready = await poll(job);
  if (typeof ready === 'boolean') return { outcome: ready ? 'ok' : 'iterate', output: null };
  const message = `the poll of step "${job.request.bound.model.id}" returned ${typeName(ready)}; a poll must return true or false`;
  return { error: stepError('CONDITION_ERROR', message) };
}

function poll({ request, context }: Job<StepOf<'delay'>>): unknown {
  const { code, model } = request.bound;
  if (code.poll !== undefined) {
    const ready = code.poll(context);
    return isPromise(ready) ? untilStopped(ready, request.signal) : ready;
  }
  const condition = model.poll?.condition;
  return condition === undefined ? false : holdsExpression(condition, request, context);
}
