// Interprets the return value of a handler: how the step settled, and what is merged into the state of the run.

import { EngineError } from '../../base/error.ts';
import { shortText } from '../../base/short-text.ts';
import { didYouMean } from '../../base/suggest.ts';
import type { StepContext, TaskReturn } from '../../definition/code.ts';
import { COMMON_OUTCOMES, Outcome } from '../../definition/outcome.ts';

const WORD_MAX = 40;

/** The step that a handler works for. */
export interface HandledStep {
  readonly step: string;
  /** Whether its `next` names outcomes: then a text, alone or first in a list, has to be one. */
  readonly namesOutcomes?: boolean;
}

/** The work of a `task` that calls a handler. A step without one does nothing and is `ok`. */
export function createTask(
  handler: ((ctx: StepContext) => unknown) | undefined,
  handled: HandledStep,
): (ctx: StepContext) => TaskReturn | Promise<TaskReturn> {
  if (handler === undefined) return () => ({ outcome: Outcome.OK, output: null });
  return (ctx) => {
    const returned = handler(ctx);
    return isPromise(returned) ? returned.then((value) => readReturn(value, handled)) : readReturn(returned, handled);
  };
}

function isPromise(value: unknown): value is Promise<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
}

/** Nothing is `ok`; an outcome is itself; `[outcome, output]` is both; anything else is the output of an `ok`. */
function readReturn(returned: unknown, handled: HandledStep): TaskReturn {
  if (returned === undefined || returned === null) return { outcome: Outcome.OK, output: null };
  if (isOutcome(returned, handled)) return { outcome: returned, output: null };
  if (isPair(returned, handled)) {
    const [first, output] = returned;
    if (isOutcome(first, handled)) return { outcome: first, output: output ?? null };
  }
  if (handled.namesOutcomes === true) refuseText(returned, handled);
  return { outcome: Outcome.OK, output: returned };
}

/** Whether a value can be an outcome and its output. Where `next` names no outcomes, a list of two words is only a list. */
function isPair(value: unknown, { namesOutcomes }: HandledStep): value is readonly [unknown, unknown] {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const output: unknown = value[1];
  return namesOutcomes === true || output === undefined || (typeof output === 'object' && !Array.isArray(output));
}

function isOutcome(value: unknown, { step }: HandledStep): value is string {
  if (value !== Outcome.DEFAULT) return typeof value === 'string' && COMMON_OUTCOMES.includes(value);
  const message = `the handler of step "${step}" returned Outcome.DEFAULT, which is a key of \`next\` and not an outcome; return one of ${COMMON_OUTCOMES.join(', ')}`;
  throw new EngineError('STEP_OUTPUT_INVALID', message, { details: { step } });
}

/** Refuses a text that stands where an outcome could: a misspelt outcome would end the step as `ok`. */
function refuseText(returned: unknown, { step }: HandledStep): void {
  const isList = Array.isArray(returned);
  const text: unknown = isList ? returned[0] : returned;
  if (typeof text !== 'string') return;
  const shown = JSON.stringify(shortText(text, WORD_MAX));
  const fault = COMMON_OUTCOMES.includes(text)
    ? 'which is not an outcome with one output'
    : `but ${shown} is not an outcome${didYouMean(text, COMMON_OUTCOMES)}`;
  const output = isList ? '["ok", list] if the list' : '["ok", text] if the text';
  const message = `the handler of step "${step}" returned ${isList ? `[${shown}, …]` : shown}, ${fault}; return one of ${COMMON_OUTCOMES.join(', ')}, or ${output} is the output`;
  throw new EngineError('STEP_OUTPUT_INVALID', message, { details: { step } });
}
