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
  /** Whether its `next` names outcomes: then a pair that begins with another word is a mistake. */
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

/** Nothing is `ok`; an outcome is itself; `[outcome, patch]` is both; anything else is the output of an `ok`. */
function readReturn(returned: unknown, handled: HandledStep): TaskReturn {
  if (returned === undefined || returned === null) return { outcome: Outcome.OK, output: null };
  if (isOutcome(returned, handled)) return { outcome: returned, output: null };
  if (isPair(returned)) {
    const [first, patch] = returned;
    if (isOutcome(first, handled)) return { outcome: first, output: patch ?? null };
    if (handled.namesOutcomes === true && typeof first === 'string' && typeof patch === 'object' && patch !== null)
      throw noOutcome(first, handled);
  }
  return { outcome: Outcome.OK, output: returned };
}

/** Whether a value is a pair whose second part can be a patch; a list of two words is only a list. */
function isPair(value: unknown): value is readonly [unknown, object | null | undefined] {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const patch: unknown = value[1];
  return patch === undefined || patch === null || (typeof patch === 'object' && !Array.isArray(patch));
}

function isOutcome(value: unknown, { step }: HandledStep): value is string {
  if (value !== Outcome.DEFAULT) return typeof value === 'string' && COMMON_OUTCOMES.includes(value);
  const message = `the handler of step "${step}" returned Outcome.DEFAULT, which is a key of \`next\` and not an outcome; return one of ${COMMON_OUTCOMES.join(', ')}`;
  throw new EngineError('STEP_OUTPUT_INVALID', message, { details: { step } });
}

function noOutcome(word: string, { step }: HandledStep): EngineError {
  const shown = JSON.stringify(shortText(word, WORD_MAX));
  const message = `the handler of step "${step}" returned [${shown}, { … }], but ${shown} is not an outcome${didYouMean(word, COMMON_OUTCOMES)}`;
  const hint = `return one of ${COMMON_OUTCOMES.join(', ')}, or an object if the list is the output`;
  return new EngineError('STEP_OUTPUT_INVALID', `${message}; ${hint}`, { details: { step } });
}
