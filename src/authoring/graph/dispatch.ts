// Owns the types by which a graph names agents: the roles that skills share, an agent that is dispatched with a script, and
// an agent that is a live object of the application.

import type { JsonObject } from '../../base/json.ts';
import type { StepContext } from '../../definition/code.ts';

/** The roles that skills share. A project may have others: a role is its name. */
export const AgentRole = Object.freeze({
  QUALITY_REVIEWER: 'quality-reviewer',
  TECHNICAL_WRITER: 'technical-writer',
  DEVELOPER: 'developer',
  EXPLORE: 'explore',
  ARCHITECT: 'architect',
  DEBUGGER: 'debugger',
} as const);

/** One of the roles of `AgentRole`. */
export type AgentRole = (typeof AgentRole)[keyof typeof AgentRole];

/** An agent that is dispatched with a script; its report becomes the outcome of the step. */
export interface Dispatch {
  readonly agent: AgentRole | (string & {});
  readonly script: string;
}

/** A handler that dispatches an agent with a script. */
export function Dispatch(dispatch: Dispatch): Dispatch {
  return Object.freeze({ ...dispatch });
}

/** An agent or generator as an object of the application. */
export interface LiveAgent {
  execute(context: JsonObject, ctx: StepContext): unknown;
}
