// Owns the standard input of a `command` step's program: the current run as one JSON object.

import { omitUndefined } from '../../base/fields.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import type { AttemptRequest } from '../attempt.ts';
import { type AttemptContext, feedbackSentence, retryContextOf, visibleData } from '../context.ts';

/** The StepInput of an attempt. */
export function stepInputOf(request: AttemptRequest, context: AttemptContext): JsonObject {
  const retry = retryContextOf(request);
  const { answered = [] } = request;
  return {
    runId: request.runId,
    step: context.stepId,
    attempt: context.attempt,
    idempotencyKey: context.idempotencyKey,
    params: request.params,
    checkpoint: checkpointFor(request, context),
    ...(retry === undefined ? {} : { retryContext: { ...retry, message: feedbackSentence(retry.error) } }),
    ...(request.notes === undefined ? {} : { said: request.notes.map(({ path, ...note }) => ({ ...note, ...omitUndefined({ path }) })) }),
    ...(answered.length === 0 ? {} : { answered: answered.map((assumption) => ({ ...assumption })) as unknown as Json }),
    ...(request.item === undefined ? {} : { item: request.item }),
    ...(request.undoes === undefined ? {} : { undoes: { ...request.undoes }, result: request.result }),
  };
}

// The engine's fields come last, so that a step result with a field `completedSteps` does not replace them.
function checkpointFor({ runId, params }: AttemptRequest, { snapshot, workflow, stepId }: AttemptContext): JsonObject {
  const { results, completedSteps, iterationCounts, decision } = snapshot;
  return {
    ...params,
    ...visibleData(snapshot),
    workflowRunId: runId,
    workflowType: workflow,
    currentStep: stepId,
    completedSteps: Array.from(completedSteps, (step) => ({ step, result: resultOf(results, step) })),
    iterationCounts,
    ...(decision === undefined ? {} : { lastDecision: { ...decision } as unknown as JsonObject }),
  };
}

function resultOf(results: Readonly<Record<string, Json>>, step: string): Json {
  return Object.hasOwn(results, step) ? (results[step] as Json) : null;
}
