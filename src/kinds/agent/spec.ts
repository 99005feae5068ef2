// Owns what authors write for an `agent`, as types: the worker, its task, and what it must produce.

import type { FlowCall } from '../../authoring/flow/call.ts';
import type { StepOptions } from '../../authoring/flow/model.ts';
import type { AgentResult } from '../../authoring/flow/result.ts';
import type { OptionalFields } from '../../authoring/graph/spec.ts';
import type { AgentFields, OutputFields } from '../../authoring/spec/part.ts';
import type { OutputSchema } from '../../authoring/spec/step.ts';
import type { AgentObject, ContextSpec } from '../../authoring/spec/worker.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Budget } from '../../definition/budget.ts';

/** A step that an agent does. */
export interface AgentStep<C> {
  fields: AgentFields<C> & OutputFields<C> & { output: OutputSchema };
  flow: {
    /** Lets an agent work. */
    agent<Context extends object>(spec: AgentSpec<Context>): FlowCall<AgentResult>;
  };
  list: OptionalFields<AgentFields<C>>;
  result: unknown;
}

/** An agent, by the name of its role or as a live object, and its instructions. */
export interface AgentSpec<Context extends object> extends StepOptions {
  readonly agent: string | AgentObject<Context>;
  readonly context?: ContextSpec<Context>;
  readonly action?: string;
  readonly prompt?: string;
  readonly script?: string;
  /** The JSON Schema that its output must match. */
  readonly schema?: JsonObject;
  /** What all attempts of the step may use in a run; then it waits for more. */
  readonly budget?: Budget;
  /** It reviews something and must give a verdict. */
  readonly reviews?: boolean;
  /** It gets the run's data in addition to its own context. */
  readonly seesContext?: boolean;
  /** It continues the latest session of its role in the run. */
  readonly continueSession?: boolean;
  /** It may relay questions to the person it works for. */
  readonly supportsQuestions?: boolean;
  /** The files in which it saves its progress before it asks, such as `plan.json`: questions without it are refused. */
  readonly questionState?: string;
}
