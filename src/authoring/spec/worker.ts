// Owns the common parts of agent and generator steps: the worker, as a role or a live object, and its context.

import type { StepContext } from '../../definition/code.ts';
import type { StepReading } from '../graph/reading.ts';
import type { AnyWork, Work } from '../graph/work.ts';

/** Fixed data, or a function that builds it from earlier results when the step begins. */
export type ContextSpec<Context extends object> = Context | ((ctx: StepContext) => Context | Promise<Context>);

/** An object of the application that does the work of an agent or a generator. */
export interface AgentObject<Context extends object> {
  execute(context: Context, ctx: StepContext): unknown;
}

/** The context that a step passes to its worker, as data or as a function. */
export function readContext({ context }: AnyWork, step: StepReading): { context: unknown; code: NonNullable<Work['code']> } {
  if (typeof context !== 'function') return { context, code: {} };
  return { context: undefined, code: { context: step.code('context', context) } };
}

/** The live object that does a step, if it is not a role. */
export function liveCode(agent: AnyWork['agent'], field: string, step: StepReading): NonNullable<Work['code']> {
  if (agent === undefined)
    step.fault('FIELD_MISSING', `\`${field}\` is missing`, 'write the name of a role, or an object with execute(context, ctx)');
  if (typeof agent !== 'object') return {};
  if (typeof agent.execute !== 'function') {
    step.fault(
      'FIELD_INVALID',
      `\`${field}\` must be a role or an object with execute(context, ctx)`,
      'write the name of a role, or add `execute`',
    );
    return {};
  }
  step.code('agent', agent.execute);
  return { agent };
}
