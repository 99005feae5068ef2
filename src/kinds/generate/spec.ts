// Owns the author-facing types of a `generate` step: the generator of the text, and its instructions.

import type { FlowCall } from '../../authoring/flow/call.ts';
import type { StepOptions } from '../../authoring/flow/model.ts';
import type { OptionalFields } from '../../authoring/graph/spec.ts';
import type { AgentFields } from '../../authoring/spec/part.ts';
import type { AgentObject, ContextSpec } from '../../authoring/spec/worker.ts';

/** A step that generates text. */
export interface GenerateStep<C> {
  fields: Pick<AgentFields<C>, 'prompt' | 'context' | 'budget'> & { generate: AgentFields<C>['agent'] };
  flow: {
    /** Generates text. */
    generate<Context extends object>(spec: GenerateSpec<Context>): FlowCall<string>;
  };
  list: { readonly generate?: AgentFields<C>['agent'] };
  result: string;
}

/** A generator of text, by the name of its role or as a live object, and its instructions. */
export interface GenerateSpec<Context extends object> extends StepOptions, OptionalFields<Pick<AgentFields<never>, 'prompt' | 'budget'>> {
  readonly generator: string | AgentObject<Context>;
  readonly context?: ContextSpec<Context>;
}
