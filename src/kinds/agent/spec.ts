// Owns what authors write for an `agent`, as types: the worker, its task, and what it must produce.

import type { Optional } from '../../authoring/graph/spec.ts';
import type { AgentFields, OutputFields } from '../../authoring/spec/part.ts';
import type { OutputSchema } from '../../authoring/spec/step.ts';

/** A step that an agent does. */
export interface AgentStep<C> {
  fields: AgentFields<C> & OutputFields<C> & { output: OutputSchema };
  list: Optional<AgentFields<C>>;
  result: unknown;
}
