// Builds the input of the child that a `workflow` step starts. The host starts the child itself.

import { EngineError } from '../../base/error.ts';
import type { JsonObject } from '../../base/json.ts';
import { AttemptStopped, isPromise } from '../../steps/abort.ts';
import type { AttemptRequest } from '../../steps/attempt.ts';
import { openContext } from '../../steps/context.ts';
import { renderTemplates } from '../../steps/template-rendering.ts';
import { stepData } from '../../steps/worker/worker-task.ts';

/** The input of a child run: fixed, or built by a function from the current state of the run. Throws CONTEXT_FAILED. */
export async function childInput(request: AttemptRequest): Promise<JsonObject> {
  try {
    const opened = openContext(request);
    const context = isPromise(opened) ? await opened : opened;
    const { model } = (request.bound.model.templates === true ? renderTemplates(request, context.snapshot) : request).bound;
    return await stepData(request, context, model.kind === 'workflow' ? (model.input ?? {}) : {});
  } catch (thrown) {
    if (!(thrown instanceof AttemptStopped)) throw thrown;
    throw new EngineError('CONTEXT_FAILED', `step "${request.bound.model.id}" was stopped before its child was started`);
  }
}
