// Owns the author-facing types of a `command`: a shell line, or a program and its arguments.

import type { FlowCall } from '../../authoring/flow/call.ts';
import type { StepOptions } from '../../authoring/flow/model.ts';
import type { CommandResult } from '../../authoring/flow/result.ts';
import type { OptionalFields } from '../../authoring/graph/spec.ts';
import type { CommandFields, OutputFields } from '../../authoring/spec/part.ts';
import type { Json } from '../../base/json.ts';

/** A step that starts a program. */
export interface CommandStep<C> {
  fields: CommandFields<C> & OutputFields<C>;
  flow: {
    /** Starts a program: a shell line, a list of words, or either with options. */
    command(command: string | readonly string[] | CommandSpec): FlowCall<CommandResult>;
  };
  list: OptionalFields<CommandFields<C>>;
  result: CommandResult | Json;
}

/** A program: `run` goes to the shell unchanged, `argv` is started without a shell. */
export type CommandSpec = StepOptions &
  OptionalFields<Omit<CommandFields<never>, 'command'>> &
  ({ readonly run: string; readonly argv?: undefined } | { readonly argv: readonly string[]; readonly run?: undefined });
