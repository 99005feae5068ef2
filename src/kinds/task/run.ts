// Executes `task`: a function of the workflow, called in this process.

import type { TaskReturn } from '../../definition/code.ts';
import { isPromise, untilStopped } from '../../steps/abort.ts';
import { type Job, stepError, type Work } from '../../steps/work.ts';
import { isForCaller } from '../../steps/worker/handover.ts';
import { handInstructions } from '../../steps/worker/worker-call.ts';

/** Calls the function. When the attempt must stop, its result is no longer waited for. */
export function execute(job: Job): Work | Promise<Work> {
  const { request, context } = job;
  if (isForCaller(job)) return handed(job);
  const { run } = request.bound.code;
  if (run === undefined) {
    const message = `step "${request.bound.model.id}" has no function; bind the code that the workflow was defined with`;
    return { error: stepError('STEP_FAILED', message, { retryable: false }) };
  }
  const returned: TaskReturn | Promise<TaskReturn> = run(context);
  return isPromise(returned) ? untilStopped(returned, request.signal) : returned;
}

async function handed(job: Job): Promise<Work> {
  const answer = await handInstructions(job);
  if (answer.kind === 'handed') return { handed: answer.handover, actor: answer.actor };
  if (answer.kind === 'failure') return { error: answer.error, actor: answer.actor };
  throw new Error('instructions are only ever handed out');
}
