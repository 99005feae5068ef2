// Owns the filling in of a step's templates, when it is about to work: what the run's record says then.

import type { Json, JsonObject } from '../base/json.ts';
import { rendered } from '../definition/template-scope.ts';
import type { AttemptRequest, Snapshot } from './attempt.ts';

/** The request with the templates of its step filled in from the run's record. */
export function filledIn(request: AttemptRequest, { data, results, iterationCounts, gateDecision }: Snapshot): AttemptRequest {
  const { runId, workflow, bound, params } = request;
  const { model } = bound;
  const view = { params, data: (key: string) => data[key], output: (step: string) => results[step] };
  const decided = gateDecision === undefined ? {} : { decision: gateDecision };
  const run = { id: runId, workflow: workflow.definition.name, counts: iterationCounts, ...decided };
  const fill = (value: JsonObject): JsonObject =>
    rendered(value, { run, view, names: workflow.definition.outputNames, step: model.id }) as JsonObject;
  const config = model.kind === 'gate' ? { ...model.config, checks: filledChecks(model.config.checks, fill) } : fill(model.config);
  return { ...request, bound: { ...bound, model: { ...model, config } } };
}

/** The checks of a gate, but for requests: those are filled in where they are sent, since secrets may go with them. */
function filledChecks(checks: Json | undefined, fill: (check: JsonObject) => JsonObject): Json {
  return ((checks ?? []) as readonly JsonObject[]).map((check) => {
    if (check.templates === true) return check;
    return check.check === 'any_of' ? { ...check, checks: filledChecks(check.checks, fill) } : fill(check);
  });
}
