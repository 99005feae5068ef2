// Owns the author-facing types of an `agent`: the worker, its task, and what it must produce.

import type { FlowCall } from '../../authoring/flow/call.ts';
import type { StepOptions } from '../../authoring/flow/model.ts';
import type { AgentResult } from '../../authoring/flow/result.ts';
import type { OptionalFields } from '../../authoring/graph/spec.ts';
import type { AgentFields, OutputFields } from '../../authoring/spec/part.ts';
import type { OutputSchema } from '../../authoring/spec/step.ts';
import type { AgentObject, ContextSpec } from '../../authoring/spec/worker.ts';

/** A step that an agent does. */
export interface AgentStep<C> {
  fields: AgentFields<C> & OutputFields<C> & { output: OutputSchema };
  flow: {
    /** Runs an agent. */
    agent<Context extends object>(spec: AgentSpec<Context>): FlowCall<AgentResult>;
  };
  list: OptionalFields<AgentFields<C>>;
  result: unknown;
}

/** An agent, by the name of its role or as a live object, and its instructions. */
export interface AgentSpec<Context extends object> extends StepOptions, Omit<OptionalFields<AgentFields<never>>, 'agent' | 'context'> {
  readonly agent: string | AgentObject<Context>;
  readonly context?: ContextSpec<Context>;
}
