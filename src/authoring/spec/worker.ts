// Owns what agent and generator steps have in common: the worker, as a role or a live object, its context, and its budget.

import type { JsonObject } from '../../base/json.ts';
import { type Budget, budgetFault } from '../../definition/budget.ts';
import type { StepCode, StepContext } from '../../definition/code.ts';
import { invalid, plainOf } from '../flow/model.ts';
import type { StepReading } from '../graph/reading.ts';
import type { AnyWork, Work } from '../graph/work.ts';

/** Fixed data, or a function that builds it from earlier results when the step begins. */
export type ContextSpec<Context extends object> = Context | ((ctx: StepContext) => Context | Promise<Context>);

/** An object of the application that does the work of an agent or a generator. */
export interface AgentObject<Context extends object> {
  execute(context: Context, ctx: StepContext): unknown;
}

/** The context that a graph's step passes to its worker, as data or as a function. */
export function readContext({ context }: AnyWork, step: StepReading): { context: unknown; code: NonNullable<Work['code']> } {
  if (typeof context !== 'function') return { context, code: {} };
  return { context: undefined, code: { context: step.code('context', context) } };
}

/** The live object of a graph's step, if it is not a role. */
export function liveCode(agent: AnyWork['agent'], step: StepReading): NonNullable<Work['code']> {
  if (typeof agent !== 'object') return {};
  if (typeof agent.execute !== 'function') {
    step.fault('FIELD_INVALID', 'its agent is an object without execute', 'name a role, or give an object with execute(context, ctx)');
    return {};
  }
  step.code('agent', agent.execute);
  return { agent };
}

/** The budget of a flow's step as data. */
export function budgetOf(name: string, budget: Budget | undefined): { readonly budget?: Budget } {
  const fault = budget === undefined ? undefined : budgetFault(budget);
  if (fault !== undefined) throw invalid(`step "${name}"`, `has an invalid budget: ${fault}`);
  return budget === undefined ? {} : { budget: plainOf<Budget>(name, 'the budget', budget) };
}

/** The worker of a flow's step: the name of a role, or a live object. */
export function workerOf(
  name: string,
  field: string,
  worker: unknown,
): { readonly role?: string; readonly code?: Pick<StepCode, 'agent'> } {
  if (typeof worker === 'string' && worker !== '') return { role: worker };
  const live = worker as StepCode['agent'];
  if (typeof live !== 'object' || live === null || typeof live.execute !== 'function') {
    throw invalid(`step "${name}"`, `has no ${field}; give the name of a role, or an object with execute(context)`);
  }
  return { code: { agent: live } };
}

/** The context that a flow's step passes to its worker, as data or as a function. */
export function contextOf(
  name: string,
  context: unknown,
): { readonly config?: { readonly context: JsonObject }; readonly code?: Pick<StepCode, 'context'> } {
  if (context === undefined) return {};
  if (typeof context === 'function') return { code: { context: context as NonNullable<StepCode['context']> } };
  return { config: { context: plainOf<JsonObject>(name, 'the context', context) } };
}
