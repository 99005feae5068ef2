// Owns what a handler's return value means: how the step settled, and what is merged into the state of the run.

import { EngineError } from '../../base/error.ts';
import type { StepContext, TaskReturn } from '../../definition/code.ts';
import { COMMON_OUTCOMES, Outcome } from '../../definition/outcome.ts';

/** The work of a `task` that calls a handler. A step without one does nothing and is `ok`. */
export function createTask(
  handler: ((ctx: StepContext) => unknown) | undefined,
  step: string,
): (ctx: StepContext) => TaskReturn | Promise<TaskReturn> {
  if (handler === undefined) return () => ({ outcome: Outcome.OK, output: null });
  return (ctx) => {
    const returned = handler(ctx);
    return isPromise(returned) ? returned.then((value) => readReturn(value, step)) : readReturn(returned, step);
  };
}

function isPromise(value: unknown): value is Promise<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
}

/** Nothing is `ok`; an outcome is itself; `[outcome, patch]` is both; anything else is the output of an `ok`. */
function readReturn(returned: unknown, step: string): TaskReturn {
  if (returned === undefined || returned === null) return { outcome: Outcome.OK, output: null };
  if (isOutcome(returned, step)) return { outcome: returned, output: null };
  if (isPair(returned) && isOutcome(returned[0], step)) return { outcome: returned[0], output: returned[1] ?? null };
  return { outcome: Outcome.OK, output: returned };
}

/** Whether a value is a pair whose second part can be a patch; a list of two words is only a list. */
function isPair(value: unknown): value is readonly [unknown, object | null | undefined] {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const patch: unknown = value[1];
  return patch === undefined || patch === null || (typeof patch === 'object' && !Array.isArray(patch));
}

function isOutcome(value: unknown, step: string): value is string {
  if (value !== Outcome.DEFAULT) return typeof value === 'string' && COMMON_OUTCOMES.includes(value);
  const message = `the handler of step "${step}" returned Outcome.DEFAULT, which is a key of \`next\` and no outcome; return one of ${COMMON_OUTCOMES.join(', ')}`;
  throw new EngineError('STEP_OUTPUT_INVALID', message, { details: { step } });
}
