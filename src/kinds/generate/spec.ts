// Owns what authors write for a `generate` step, as types: who writes the text, and their instructions.

import type { LiveAgent } from '../../authoring/graph/dispatch.ts';
import type { AgentFields } from '../../authoring/spec/part.ts';

/** A step that generates text. */
export interface GenerateStep<C> {
  fields: Pick<AgentFields<C>, 'prompt' | 'context' | 'budget'> & { generate: string | LiveAgent };
  list: { readonly generate?: string | LiveAgent };
  result: string;
}
