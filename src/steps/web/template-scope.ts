// Owns what the templates of a request can see of the run. Secrets are not among it: they are added where they may go.

import type { Json, JsonObject } from '../../base/json.ts';
import { checkpointOf } from '../context.ts';
import type { Job } from '../work.ts';

/** The names that templates may begin with, and their values. */
export function templateScope({ request, context }: Job): JsonObject {
  const { snapshot } = context;
  const checkpoint = checkpointOf(request.params, snapshot);
  const { $trigger, $config, $github, ...data } = snapshot.data as Partial<JsonObject>;
  const facts = Object.entries({ trigger: $trigger, config: $config, github: $github }).filter(([, value]) => value !== undefined);
  return {
    ...(data as JsonObject),
    ...(Object.fromEntries(facts) as JsonObject),
    context: { ...(data as JsonObject), outputs: snapshot.results },
    params: request.params,
    checkpoint: { ...checkpoint, gateDecision: (checkpoint.gateDecision ?? null) as Json } as unknown as JsonObject,
    outputs: snapshot.results,
    run: { id: request.runId, workflow: context.workflow },
    step: { id: context.stepId },
    item: request.item ?? null,
  };
}
