// Owns what authors write for a `command`, as types: a shell line, or a program and its arguments.

import type { CommandResult } from '../../authoring/flow/result.ts';
import type { Optional } from '../../authoring/graph/spec.ts';
import type { CommandFields, OutputFields } from '../../authoring/spec/part.ts';
import type { Json } from '../../base/json.ts';

/** A step that starts a program. */
export interface CommandStep<C> {
  fields: CommandFields<C> & OutputFields<C>;
  list: Optional<CommandFields<C>>;
  result: CommandResult | Json;
}
